// A long INSERT … VALUES: its rows are read from the text one after the other, and there is no list of all its words.
import { bracketStep } from '../text/brackets.ts'
import { errorAt, isToken, nextToken, type Token, TooManyTokens } from '../text/token.ts'
import { type Cursor, unexpected } from './cursor.ts'
import { parseInsertHead, readRow } from './insert.ts'
import type { Parsed } from './parse.ts'

/** Words before VALUES at most. */
const maxHead = 10_000

/**
 * Undefined for a text that begins with anything else. Throws ParseError; when a row is read, for what is wrong in it, and TooManyTokens for one of
 * more than `maxRowTokens`.
 */
export function parseLongInsert(sql: string, maxRowTokens: number): Parsed | undefined {
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
    return {
      statement: { kind: 'insert', table, columns, source: { kind: 'values', rows: rowsAt(sql, at, maxRowTokens) } },
      tokens
    }
  }
}

function* rowsAt(sql: string, from: number, maxTokens: number): Generator<Token[][]> {
  let at = from
  const next = () => {
    const token = nextToken(sql, at)
    at = token?.end ?? sql.length
    return token
  }
  for (;;) {
    const tokens: Token[] = []
    let depth = 0
    for (let token = next(); token !== undefined; token = next()) {
      if (tokens.length === maxTokens) throw new TooManyTokens(maxTokens, 'a row of the INSERT')
      tokens.push(token)
      depth += bracketStep(token)
      if (depth <= 0) break
    }
    if (tokens.length === 0) throw errorAt(sql, sql.length, 'expected (, found end of statement')
    yield readRow({ sql, tokens, at: 0 })
    const behind = next()
    const last = isToken(behind, ';') || behind === undefined ? next() : undefined
    if (last !== undefined)
      throw errorAt(sql, last.start, 'a text beyond max_sql_length holds one INSERT and nothing behind it')
    if (behind === undefined || isToken(behind, ';')) return
    if (!isToken(behind, ',')) throw unexpected({ sql, tokens: [behind], at: 0 }, ', or the end of the statement')
  }
}
