// Casts of columns to times with a zone: what stands in a column is in UTC, whatever the zone of the session.
import type { Canonical } from '../text/canonical.ts'
import { isToken, type Token, tokenText } from '../text/token.ts'
import type { Edit } from './confine.ts'

/** Whether the name at a token is that of a column of times. */
type IsTime = (token: number) => boolean

/** `at::TIMESTAMPTZ` and `CAST(at AS TIMESTAMPTZ)` become `(at AT TIME ZONE 'UTC')`. */
export function zoneCastEdits(statement: Canonical, isTime: IsTime): Edit[] {
  const { tokens, starts } = statement
  const end = (at: number) => starts[at]! + tokenText(tokens[at]!).length
  return tokens.flatMap((token, i) => {
    const colons = isToken(token, ':') && isToken(tokens[i + 1], ':')
    const first = colons ? columnBefore(tokens, i, isTime) : undefined
    const type = first === undefined ? undefined : zonedType(tokens, i + 2)
    if (first !== undefined && type !== undefined) {
      const open = { start: starts[first]!, end: starts[first]!, text: '(' }
      return [open, { start: starts[i]!, end: end(type), text: " AT TIME ZONE 'UTC')" }]
    }
    return castCall(tokens, i, isTime).map(([from, to, text]) => ({ start: starts[from]!, end: end(to), text }))
  })
}

type Replacement = readonly [first: number, last: number, text: string]

function castCall(tokens: readonly Token[], i: number, isTime: IsTime): Replacement[] {
  if (!isToken(tokens[i], 'cast') || !isToken(tokens[i + 1], '(')) return []
  const as = tokens.findIndex((token, at) => at > i + 1 && isToken(token, 'as'))
  const type = as < 0 || columnBefore(tokens, as, isTime) !== i + 2 ? undefined : zonedType(tokens, as + 1)
  if (type === undefined || !isToken(tokens[type + 1], ')')) return []
  return [
    [i, i, ''],
    [as, type, "AT TIME ZONE 'UTC'"]
  ]
}

/** Where the name of a column of times begins that ends before a token. */
function columnBefore(tokens: readonly Token[], at: number, isTime: IsTime): number | undefined {
  const name = tokens[at - 1]
  if (name?.kind !== 'word' && name?.kind !== 'quoted') return undefined
  if (!isTime(at - 1)) return undefined
  let first = at - 1
  while (isToken(tokens[first - 1], '.') && first >= 2) first -= 2
  return first
}

/** The last token of a type with a zone. */
function zonedType(tokens: readonly Token[], at: number): number | undefined {
  if (isToken(tokens[at], 'timestamptz')) return at
  const words = ['timestamp', 'with', 'time', 'zone']
  return words.every((word, i) => isToken(tokens[at + i], word)) ? at + words.length - 1 : undefined
}
