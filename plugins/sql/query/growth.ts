// Calls that make something huge of a few bytes: a constant that asks for more than the limit is refused before anything runs.
// The engine counts what it sorts, groups and joins against its memory, but not one single value.
import { DbError, formatSize } from '../../../core/index.ts'
import { argumentsOf, calls } from '../text/brackets.ts'
import { isName, isToken, type Token } from '../text/token.ts'

/** Position of the argument that says how long the value gets. */
const lengths: Readonly<Record<string, number>> = {
  repeat: 1,
  lpad: 1,
  rpad: 1,
  list_resize: 1,
  array_resize: 1
}

const growing: ReadonlySet<string> = new Set([...Object.keys(lengths), 'range', 'generate_series'])

/** Bytes of an element of a list of numbers. */
const elementBytes = 8

/** Throws `InvalidArguments` for a constant length beyond `limit`, in bytes. Lists made where tables stand are no values: they stream. */
export function checkGrowth(tokens: readonly Token[], limit: number): void {
  if (!tokens.some(token => isName(token) && growing.has(token.value.toLowerCase()))) return
  for (const { at, isTable } of calls(tokens)) {
    const name = tokens[at]!.value.toLowerCase()
    const bytes = sizeOf(name, tokens, at + 1, isTable)
    if (bytes > limit) {
      throw new DbError(
        'InvalidArguments',
        `${name} would make a value of more than ${formatSize(limit)} (plugins.sql.value_limit)`
      )
    }
  }
}

/** Bytes of the call's value as far as constants tell; 0 where they do not. */
function sizeOf(name: string, tokens: readonly Token[], open: number, isTable: boolean): number {
  const at = lengths[name]
  if (at !== undefined) {
    const args = argumentsOf(tokens, open)
    const count = constant(args[at])
    if (count === undefined) return 0
    const repeated = name === 'repeat' ? textLength(args[0]) : 1
    return count * repeated * (name.endsWith('_resize') ? elementBytes : 1)
  }
  if ((name === 'range' || name === 'generate_series') && !isTable) {
    const bounds = argumentsOf(tokens, open).map(constant)
    if (bounds.some(bound => bound === undefined)) return 0
    const [from, to, step] = bounds.length === 1 ? [0, bounds[0]!, 1] : [bounds[0]!, bounds[1]!, bounds[2] ?? 1]
    return step === 0 ? 0 : ((to - from) / step) * elementBytes
  }
  return 0
}

/** The number an argument is, perhaps with a sign, a cast or parentheses. */
function constant(argument: readonly Token[] | undefined): number | undefined {
  if (argument === undefined) return undefined
  const plain = argument.filter(token => !isToken(token, '(') && !isToken(token, ')'))
  const cast = plain.findIndex((token, i) => isToken(token, ':') && isToken(plain[i + 1], ':'))
  const value = cast < 0 ? plain : plain.slice(0, cast)
  const negative = isToken(value[0], '-')
  const [digits, ...more] = negative || isToken(value[0], '+') ? value.slice(1) : value
  if (digits?.kind !== 'number' || more.length > 0) return undefined
  const number = Number(digits.value.replaceAll('_', ''))
  return negative ? -number : number
}

/** Bytes of a text, or at least one; the calls inside may be long themselves. */
function textLength(argument: readonly Token[] | undefined): number {
  const [only, ...more] = argument ?? []
  if (only?.kind === 'string' && more.length === 0) return Buffer.byteLength(only.value)
  const inner = (argument ?? []).map((token, i) =>
    isToken(argument![i + 1], '(') ? sizeOf(token.value.toLowerCase(), argument!, i + 1, false) : 1
  )
  return Math.max(1, ...inner)
}
