// The order of texts in the protocol: that of their bytes in UTF-8.

export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    // Half of a character beyond the 65,536 first ones comes after all of those.
    const beyond = Number(isHalf(x)) - Number(isHalf(y))
    return beyond || x - y
  }
  return a.length - b.length
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
}
