// Each service keeps its colour wherever it is met.
const colours = 8

export function serviceColour(service: string): string {
  let hash = 0
  for (const character of service) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0
  return `var(--series-${(hash % colours) + 1})`
}
