// Statements for tools that read SQL: one line in a canonical form, and the tree.

import type { Pace } from '../../../core/index.ts'
import type { SqlParser } from '../grammar/parser.ts'
import { asNode } from '../grammar/tree.ts'
import { holdsPivot } from '../query/pivot.ts'
import type { RangeQuery } from '../query/range/parse.ts'
import { cutRanges } from '../query/range/translate.ts'
import { cutTql, type FoundTql } from '../query/tql-table.ts'
import type { Parsed } from '../statement/parse.ts'
import { isQueryWord } from '../statement/query.ts'
import { printTql } from '../statement/tql.ts'
import { type Canonical, canonical, label } from './canonical.ts'
import { type Token, tokenText } from './token.ts'

/** Words of the statements the grammar does not have; only these change their case. */
const keywords = new Set(
  `add admin after alter analyze and as asc between by column columns comment copy create current_timestamp database databases default delete desc describe
   distinct drop engine exists explain first format from full fulltext group having if in index insert interval into inverted is
   json key kill like limit modify not null offset on or order primary query rename replace schema select set show skipping
   table tables time to truncate union unset use values variables verbose view views where with zone`.split(/\s+/)
)

/** And those of range queries. */
const rangeKeywords = new Set([...keywords, 'align', 'calendar', 'fill', 'linear', 'now', 'prev', 'range'])

/** One statement on one line without its semicolon, keywords in upper case, names and constants as written. */
export async function printStatement(
  parser: SqlParser,
  pace: Pace,
  sql: string,
  { statement, tokens }: Parsed
): Promise<string> {
  if (statement.kind === 'tql') return printTql(statement)
  const { ranges, tqls, whole } = await cutOwn(pace, sql, tokens)
  if (ranges.length > 0 || tqls.length > 0) {
    if (tqls.length > 0) await parser.tree(sql, whole)
    const words = ranges.length > 0 ? rangeKeywords : keywords
    return label(tokens.map((token, i) => upper(token, wordsAt(i, tqls, words))))
  }
  if (!isKnown(tokens)) return label(tokens.map(token => upper(token)))
  const text = await parser.format(written(whole), tokens)
  if (text !== undefined) return text
  // What cannot be printed cannot be read either, in most cases: then this says where.
  await parser.tree(sql, whole)
  return label(tokens.map(token => upper(token)))
}

/** A statement without the range queries and TQL in it, which the grammar does not read, and these. */
async function cutOwn(pace: Pace, sql: string, tokens: readonly Token[]) {
  const { tokens: withRanges, found: tqls } = cutTql(sql, tokens)
  if (pace.isDue) await pace.pause()
  const { tokens: plain, ranges } = cutRanges(sql, withRanges)
  if (pace.isDue) await pace.pause()
  const whole = canonical(plain)
  if (pace.isDue) await pace.pause()
  return { ranges, tqls, whole }
}

const tqlWords = new Set(['tql', 'eval', 'evaluate'])
const noWords: ReadonlySet<string> = new Set()

/** PromQL stays as written: its names may be words of SQL. */
function wordsAt(token: number, found: readonly FoundTql[], words: ReadonlySet<string>): ReadonlySet<string> {
  const inside = found.find(({ from, to }) => token >= from && token < to)
  if (inside === undefined) return words
  return token < inside.from + 2 ? tqlWords : noWords
}

/** The canonical text with numbers as they were written. */
function written({ text, tokens, starts, ends }: Canonical): string {
  return tokens
    .map((token, i) => {
      const end = ends[i]!
      const space = text.slice(end, starts[i + 1] ?? end)
      return (token.kind === 'number' ? token.value : text.slice(starts[i]!, end)) + space
    })
    .join('')
}

/** The grammar reads only queries as the server does. */
function isKnown(tokens: readonly Token[]): boolean {
  return isQueryWord(tokens[0]) && !holdsPivot(tokens)
}

function upper(token: Token, words: ReadonlySet<string> = keywords): Token {
  if (token.kind !== 'word' || !words.has(token.value.toLowerCase())) {
    return token.kind === 'word' ? { ...token, kind: 'symbol' } : token
  }
  return { ...token, kind: 'symbol', value: token.value.toUpperCase() }
}

/** An object with one key that names the kind. */
export async function describeStatement(
  parser: SqlParser,
  pace: Pace,
  sql: string,
  { statement, tokens }: Parsed
): Promise<unknown> {
  if (statement.kind === 'query' && !holdsPivot(tokens)) {
    const { ranges, tqls, whole } = await cutOwn(pace, sql, tokens)
    const tree = await parser.tree(sql, whole)
    if (ranges.length === 0 && tqls.length === 0) return tree
    return {
      Query: {
        ...asNode(asNode(tree)?.['Query']),
        ...(ranges.length > 0 && { ranges: ranges.map(describeRange) }),
        ...(tqls.length > 0 && { tql: tqls.map(({ statement }) => statement) })
      }
    }
  }
  const { kind, ...parts } = statement
  const name = kind.split('_').map(word => word[0]!.toUpperCase() + word.slice(1))
  return {
    [name.join('')]: JSON.parse(
      JSON.stringify(parts, (_key, value: unknown) => (isTokenLike(value) ? tokenText(value) : value))
    )
  }
}

/** The clauses ALIGN, RANGE, BY and FILL of a range query. */
function describeRange({ step, origin, by, calls }: RangeQuery) {
  return {
    align_ms: step,
    ...(origin !== undefined && { to: origin }),
    ...(by !== undefined && { by: by.map(label) }),
    calls: calls.map(call => ({
      call: label(call.tokens),
      range_ms: call.range,
      ...(call.fill !== undefined && { fill: call.fill })
    }))
  }
}

function isTokenLike(value: unknown): value is Token {
  return typeof value === 'object' && value !== null && 'spaced' in value
}
