// A long INSERT … VALUES: its rows are read from the text one after the other, and there is no list of all its words.
import { errorAt, isToken, nextToken, type Token } from '../text/token.ts'
import type { Cursor } from './cursor.ts'
import { parseInsertHead } from './insert.ts'
import type { Parsed } from './parse.ts'

/** Words before VALUES at most. */
const maxHead = 10_000

/** Undefined for a text that begins with anything else. Throws ParseError; for what is wrong in a row, when that is read. */
export function parseLongInsert(sql: string): Parsed | undefined {
  const tokens: Token[] = []
  for (let at = 0; ; ) {
    const token = nextToken(sql, at)
    if (token === undefined || tokens.length === maxHead) return undefined
    if (tokens.length === 0 && !isToken(token, 'insert') && !isToken(token, 'replace')) return undefined
    at = token.end
    if (!isToken(token, 'values')) {
      tokens.push(token)
      continue
    }
    const cursor: Cursor = { sql, tokens, at: 1 }
    const { table, columns } = parseInsertHead(cursor)
    if (cursor.at < tokens.length) return undefined
    return { statement: { kind: 'insert', table, columns, source: { kind: 'values', rows: rowsAt(sql, at) } }, tokens }
  }
}

function* rowsAt(sql: string, from: number): Generator<Token[][]> {
  let at = from
  const next = () => {
    const token = nextToken(sql, at)
    at = token?.end ?? sql.length
    return token
  }
  const expected = (what: string, found: Token | undefined) =>
    errorAt(
      sql,
      found?.start ?? sql.length,
      `expected ${what}, found ${found === undefined ? 'end of statement' : sql.slice(found.start, found.end)}`
    )
  for (;;) {
    const open = next()
    if (!isToken(open, '(')) throw expected('(', open)
    const row: Token[][] = []
    let value: Token[] = []
    for (let depth = 1; depth > 0; ) {
      const token = next()
      if (token === undefined) throw expected(')', token)
      if (token.kind === 'symbol') {
        if ('([{'.includes(token.value)) depth++
        if (')]}'.includes(token.value)) depth--
      }
      if (depth > 1 || (depth === 1 && !isToken(token, ','))) value.push(token)
      else {
        // A comma may trail.
        if (value.length === 0 && (depth === 1 || row.length === 0)) throw expected('a value', token)
        if (value.length > 0) row.push(value)
        value = []
      }
    }
    yield row
    const behind = next()
    const last = isToken(behind, ';') || behind === undefined ? next() : undefined
    if (last !== undefined)
      throw errorAt(sql, last.start, 'a text beyond max_sql_length holds one INSERT and nothing behind it')
    if (behind === undefined || isToken(behind, ';')) return
    if (!isToken(behind, ',')) throw expected(', or the end of the statement', behind)
  }
}
