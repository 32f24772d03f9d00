// Translates a search into exact SQL, and into a condition that an index can check.
import type { TableColumn } from '../model/table.ts'
import type { Dialect } from '../storage/dialect/dialect.ts'
import { duckdb } from '../storage/dialect/duckdb.ts'
import type { Condition } from '../storage/engine.ts'
import type { SearchNode } from './search-query.ts'

/** How the searched text is compared. */
export interface Reading {
  /** Upper and lower case are equal. */
  readonly folded: boolean
  /** Text in scripts without spaces (Chinese, Japanese …): a term of such a script may begin and end anywhere. */
  readonly unspaced: boolean
}

/** Writes a constant into the SQL: as a literal, or as a parameter. */
type WriteConstant = (text: string) => string

/** The comparison that the text indexes of these columns imply; without an index, case counts. `columns` are the candidates. */
export function readingOf(columns: readonly TableColumn[]): Reading {
  const options = columns.map(({ index }) => (index?.kind === 'fulltext' ? index.options : undefined))
  const all = (name: string, value: string) => options.length > 0 && options.every(each => each?.[name] === value)
  return { folded: all('case_sensitive', 'false'), unspaced: all('analyzer', 'Chinese') }
}

/** Further terms rule out hardly any more rows. */
const quickLooks = 2

const unspacedScripts = '\\p{Han}\\p{Hiragana}\\p{Katakana}'
const unspacedCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const wordCharacter = /[\p{L}\p{N}]/u

/** SQL that is true for rows the search matches; `text` is an SQL expression. */
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

/** SQL that is true for texts that contain the term as a whole word: no letter or digit is next to its first or last letter or digit. */
export function termSql(
  term: string,
  text: string,
  reading: Reading,
  constant: WriteConstant,
  dialect: Dialect = duckdb
): string {
  return term === '' ? `(${text} = '')` : wholeSql([term], text, reading, constant, dialect)
}

/** A condition that every text matching `searchSql` fulfils; for indexes. */
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
 * A condition that every text containing `part` fulfils; for indexes. Where `part` begins or ends with letters or digits, the text's word may go on
 * beyond it. `folded`: the text in lower case contains `part`, which is ASCII.
 */
export function partCondition(
  column: string,
  part: string,
  open: { readonly start: boolean; readonly end: boolean },
  folded = false
): Condition | undefined {
  const from = open.start ? part.replace(/^[A-Za-z0-9]+/, '') : part
  const term = open.end ? from.replace(/(?<![A-Za-z0-9])[A-Za-z0-9]+$/, '') : from
  // A part without any word cannot be looked up in the index.
  return /[A-Za-z0-9\u0080-\uffff]/.test(term) ? { kind: 'term', column, term, folded } : undefined
}

/** The cheap checks come first: regular expressions then run only on rows that contain all parts. */
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

/** Numbers are rarer than words, and long words are rarer than short ones. */
function rarestFirst(parts: readonly string[]): string[] {
  const hasDigit = (part: string) => (/\d/.test(part) ? 1 : 0)
  return [...new Set(parts)].toSorted((a, b) => hasDigit(b) - hasDigit(a) || b.length - a.length)
}

function needsEdge(char: string, { unspaced }: Reading): boolean {
  return wordCharacter.test(char) && !(unspaced && unspacedCharacter.test(char))
}

/** The regular expression of a character that ends a word. */
function other({ unspaced }: Reading): string {
  return unspaced ? `[^\\p{L}\\p{N}]|[${unspacedScripts}]` : '[^\\p{L}\\p{N}]'
}
