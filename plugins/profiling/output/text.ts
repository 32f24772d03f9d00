// A profile as text: facts, time by owner, and the top functions by own and cumulative values.
import {
  type Call,
  describeFrame,
  type Frame,
  formatAmount,
  ownerOf,
  type Profile,
  percent,
  stacks,
  totals
} from '../profile.ts'

/** Functions per list. */
const maxFunctions = 50

export function writeText(profile: Profile, title: string): string {
  const whole = totals(profile.root).get(profile.root)!
  const { flat, cumulative } = sumFunctions(profile.root)
  const row = (frame: Frame) => {
    const cells = [flat, cumulative].map(sums => {
      const sum = sums.get(frame) ?? 0
      return `${formatAmount(profile, sum).padStart(12)} ${percent(sum, whole).padStart(7)}`
    })
    return `${cells.join('  ')}  ${describeFrame(frame)}`
  }
  const list = (sums: ReadonlyMap<Frame, number>) =>
    largest(sums)
      .slice(0, maxFunctions)
      .map(([frame]) => row(frame))
  const heading = `${'itself'.padStart(12)} ${''.padStart(7)}  ${'with calls'.padStart(12)} ${''.padStart(7)}  function`
  const owners = largest(sumOwners(profile.root)).map(
    ([owner, sum]) => `${formatAmount(profile, sum).padStart(12)} ${percent(sum, whole).padStart(7)}  ${owner}`
  )
  return [
    title,
    '',
    ...profile.facts,
    '',
    'by plugin',
    ...owners,
    '',
    `the ${maxFunctions} functions that took most themselves, of ${formatAmount(profile, whole)}`,
    heading,
    ...list(flat),
    '',
    `the ${maxFunctions} functions that took most with what they called`,
    heading,
    ...list(cumulative),
    ''
  ].join('\n')
}

interface Sums {
  readonly flat: ReadonlyMap<Frame, number>
  /** A recursive function counts once. */
  readonly cumulative: ReadonlyMap<Frame, number>
}

function sumFunctions(root: Call): Sums {
  const flat = new Map<Frame, number>()
  const cumulative = new Map<Frame, number>()
  for (const { frames, self } of stacks(root)) {
    add(flat, frames[0]!, self)
    for (const frame of new Set(frames)) add(cumulative, frame, self)
  }
  return { flat, cumulative }
}

function sumOwners(root: Call): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { frames, self } of stacks(root)) add(sums, ownerOf(frames), self)
  return sums
}

function add<K>(sums: Map<K, number>, key: K, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

function largest<K>(sums: ReadonlyMap<K, number>): [K, number][] {
  return [...sums].sort(([, a], [, b]) => b - a)
}
