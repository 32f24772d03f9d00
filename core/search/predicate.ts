// A search as SQL that gives the exact answer, and as the condition an index can use.
import type { TableColumn } from '../model/table.ts'
import type { Dialect } from '../storage/dialect/dialect.ts'
import { duckdb } from '../storage/dialect/duckdb.ts'
import type { Condition } from '../storage/engine.ts'
import type { SearchNode } from './search-query.ts'

/** How the text is read that is searched. */
export interface Reading {
  /** Upper and lower case are the same. */
  readonly folded: boolean
  /** Words of scripts without spaces stand side by side: a term of one may begin and end anywhere. */
  readonly unspaced: boolean
}

/** How constants stand in SQL: as literals, or as parameters. */
type WriteConstant = (text: string) => string

/** How the indexes of a text say that it is searched; without one case counts. `columns` are those it may be. */
export function readingOf(columns: readonly TableColumn[]): Reading {
  const options = columns.map(({ index }) => (index?.kind === 'fulltext' ? index.options : undefined))
  const all = (name: string, value: string) => options.length > 0 && options.every(each => each?.[name] === value)
  return { folded: all('case_sensitive', 'false'), unspaced: all('analyzer', 'Chinese') }
}

/** More of them find little that is new. */
const quickLooks = 2

const unspacedScripts = '\\p{Han}\\p{Hiragana}\\p{Katakana}'
const unspacedCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const wordCharacter = /[\p{L}\p{N}]/u

/** SQL that is true where the search finds something; `text` is an SQL expression. */
export function searchSql(
  node: SearchNode,
  text: string,
  reading: Reading,
  constant: WriteConstant,
  dialect: Dialect = duckdb
): string {
  const sqlOf = (each: SearchNode) => searchSql(each, text, reading, constant, dialect)
  if (node.kind === 'not') return `(NOT ${sqlOf(node.of)})`
  if (node.kind === 'words') return wholeSql(node.words, text, reading, constant, dialect)
  return `(${node.of.map(sqlOf).join(node.kind === 'and' ? ' AND ' : ' OR ')})`
}

/** SQL that is true where a term, as it is, stands whole: what touches its first or last letter or digit is neither. */
export function termSql(
  term: string,
  text: string,
  reading: Reading,
  constant: WriteConstant,
  dialect: Dialect = duckdb
): string {
  return term === '' ? `(${text} = '')` : wholeSql([term], text, reading, constant, dialect)
}

/** What the text searched by `searchSql` is known to hold. */
export function searchCondition(node: SearchNode, column: string, folded: boolean): Condition | undefined {
  if (node.kind === 'not') return undefined
  if (node.kind === 'words')
    return { kind: 'all', of: node.words.map(term => ({ kind: 'term', column, term, folded })) }
  const of = node.of.map(each => searchCondition(each, column, folded))
  const known = of.filter(each => each !== undefined)
  if (node.kind === 'or') return known.length === of.length ? { kind: 'any', of: known } : undefined
  return known.length > 0 ? { kind: 'all', of: known } : undefined
}

/**
 * What a text is known to hold that holds `part`, as an index can use it: letters and digits at an open end may go on beyond it. `folded`:
 * the text in lower case holds it, which is of ASCII.
 */
export function partCondition(
  column: string,
  part: string,
  open: { readonly start: boolean; readonly end: boolean },
  folded = false
): Condition | undefined {
  const from = open.start ? part.replace(/^[A-Za-z0-9]+/, '') : part
  const term = open.end ? from.replace(/(?<![A-Za-z0-9])[A-Za-z0-9]+$/, '') : from
  // Without a word there is nothing to look for.
  return /[A-Za-z0-9\u0080-\uffff]/.test(term) ? { kind: 'term', column, term, folded } : undefined
}

/** Quick looks come first: regular expressions are for the few rows that have the parts. */
function wholeSql(
  parts: readonly string[],
  text: string,
  reading: Reading,
  constant: WriteConstant,
  dialect: Dialect
): string {
  const searched = reading.folded ? dialect.lower(text) : text
  const literal = (part: string) => (reading.folded ? dialect.lower(constant(part)) : constant(part))
  const start = needsEdge([...parts[0]!][0]!, reading) ? `(?:^|${other(reading)})` : ''
  const end = needsEdge([...parts.at(-1)!].at(-1)!, reading) ? `(?:$|${other(reading)})` : ''
  const quick = rarestFirst(parts)
    .slice(0, quickLooks)
    .map(part => dialect.contains(searched, literal(part)))
    .join(' AND ')
  if (start === '' && end === '' && parts.length === 1) return quick
  const between = `, ${dialect.quoteText('[^\\p{L}\\p{N}]+')}, `
  const escaped = parts.map(part => dialect.escapeRegex(literal(part))).join(between)
  const pattern = `concat(${dialect.quoteText(start)}, ${escaped}, ${dialect.quoteText(end)})`
  return `(${quick} AND ${dialect.matches(searched, pattern)})`
}

/** Numbers stand in fewer rows than words, long words in fewer than short ones. */
function rarestFirst(parts: readonly string[]): string[] {
  const hasDigit = (part: string) => (/\d/.test(part) ? 1 : 0)
  return [...new Set(parts)].toSorted((a, b) => hasDigit(b) - hasDigit(a) || b.length - a.length)
}

function needsEdge(char: string, { unspaced }: Reading): boolean {
  return wordCharacter.test(char) && !(unspaced && unspacedCharacter.test(char))
}

/** A character that ends a word. */
function other({ unspaced }: Reading): string {
  return unspaced ? `[^\\p{L}\\p{N}]|[${unspacedScripts}]` : '[^\\p{L}\\p{N}]'
}
