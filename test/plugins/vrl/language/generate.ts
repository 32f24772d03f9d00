// Random programs for the fuzz test: mostly by the grammar, sometimes broken on purpose.
import { standardLibrary } from '../../../../plugins/vrl/language/index.ts'

/** A generator of numbers in [0, 1) that a seed repeats. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const names = ['a', 'b', 'c', '_x']
const roots = ['.', '%', '.a', '.b.c', '.a[0]', '.a[-1].b', '."q r"', '%m', ...names, 'a.x', 'b[1]', 'c.d[-2]']
const literals = [
  '1',
  '0',
  '-7',
  '9223372036854775807',
  '2.5',
  '0.0',
  '"text"',
  '"{{ a }}"',
  "s'raw'",
  "r'(?P<n>a+)'",
  "t'2026-01-01T00:00:00Z'",
  'true',
  'false',
  'null',
  '[]',
  '{}',
  '"\\u{1F600}"'
]
const operators = ['+', '-', '*', '/', '==', '!=', '<', '<=', '>', '>=', '&&', '||', '??', '|']
const noise = [
  ' ',
  '\n',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '!',
  ',',
  '->',
  '|',
  '=',
  '|=',
  '.',
  '%',
  '1',
  'if',
  'else',
  'abort',
  '#',
  '??'
]

/** One program of a few statements. */
export function generateProgram(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const many = (most: number, make: () => string, between: string) =>
    Array.from({ length: 1 + Math.floor(random() * most) }, make).join(between)
  const functions = [...standardLibrary.values()].filter(({ name }) => name !== 'log')

  const operand = (depth: number): string => {
    const kind = depth > 3 ? random() * 0.5 : random()
    if (kind < 0.25) return pick(literals)
    if (kind < 0.5) return pick(roots)
    if (kind < 0.75) return call(depth + 1)
    if (kind < 0.8) return `[${many(3, () => operators1(depth + 1), ', ')}]`
    if (kind < 0.85) return `{ "k": ${operators1(depth + 1)}, "l": ${operators1(depth + 1)} }`
    if (kind < 0.9) return `(${expression(depth + 1)})`
    if (kind < 0.95) return `{ ${many(2, () => expression(depth + 1), '; ')} }${random() < 0.2 ? '.a' : ''}`
    return `!${operand(depth + 1)}`
  }
  const operators1 = (depth: number): string =>
    random() < 0.7 ? operand(depth) : `${operand(depth)} ${pick(operators)} ${operand(depth + 1)}`
  const call = (depth: number): string => {
    const { name, params, closure } = pick(functions)
    const given = params.filter(param => (param.optional !== true && param.default === undefined) || random() < 0.3)
    const args = given.map(param => (random() < 0.2 ? `${param.name}: ` : '') + argument(param.oneOf, depth))
    const block = `{ ${many(2, () => expression(depth + 1), '; ')} }`
    const variables = pick(['k, v', 'v', '_, v', 'm'])
    return `${name}${random() < 0.5 ? '!' : ''}(${args.join(', ')})${closure !== undefined ? ` -> |${variables}| ${block}` : ''}`
  }
  const argument = (oneOf: readonly string[] | undefined, depth: number): string =>
    oneOf !== undefined && random() < 0.8 ? JSON.stringify(pick(oneOf)) : operators1(depth)
  const expression = (depth: number): string => {
    const kind = random()
    if (kind < 0.35) return `${pick(roots)} ${random() < 0.9 ? '=' : '|='} ${operators1(depth)}`
    if (kind < 0.5) return `${pick(roots)}, ${pick(['err', '_', '.e'])} = ${operators1(depth)}`
    if (kind < 0.6 && depth < 3)
      return `if ${operators1(depth + 1)} { ${expression(depth + 1)} }${random() < 0.5 ? ` else { ${expression(depth + 1)} }` : ''}`
    if (kind < 0.63) return random() < 0.5 ? 'abort' : `return ${operators1(depth)}`
    return operators1(depth)
  }
  const program = many(6, () => expression(0), random() < 0.9 ? '\n' : '; ')
  return random() < 0.8 ? program : damage(program, random, pick)
}

function damage(program: string, random: () => number, pick: <T>(list: readonly T[]) => T): string {
  const at = Math.floor(random() * program.length)
  const cut = Math.floor(random() * 4)
  return program.slice(0, at) + pick(noise) + program.slice(at + cut)
}
