// Table options: text from SQL, headers and pipelines to checked values.
import { parseTtl } from '../config/units.ts'
import { DbError } from '../errors.ts'
import { nameProblem } from './name.ts'
import type { MergeMode, TableOptions } from './table.ts'

type Parser = (text: string, key: string) => string | boolean

const parsers: Readonly<Record<keyof TableOptions, Parser>> = {
  ttl: parseTtl,
  append_mode: parseFlag,
  merge_mode: parseMergeMode,
  skip_wal: parseFlag,
  physical_table: parseTableName,
  physical_metric_table: parseFlag,
  comment: text => text
}

/** Aliases of option names. */
const aliases: Readonly<Record<string, keyof TableOptions>> = { on_physical_table: 'physical_table' }

/**
 * Parses table options to canonical values; `on_physical_table` is an alias of `physical_table`. Throws DbError `InvalidArguments` for an unknown
 * key, a key given under both names, or an invalid value.
 */
export function parseTableOptions(texts: Readonly<Record<string, string>>): TableOptions {
  const options: Record<string, string | boolean> = {}
  for (const [key, text] of Object.entries(texts)) {
    const given = key.toLowerCase()
    const name = Object.hasOwn(aliases, given) ? aliases[given]! : given
    if (!Object.hasOwn(parsers, name)) throw new DbError('InvalidArguments', `Unrecognized table option key: ${key}`)
    const value = parsers[name as keyof TableOptions](text.trim(), given)
    if (Object.hasOwn(options, name) && options[name] !== value) {
      throw new DbError('InvalidArguments', `table option ${name} is given twice, as ${options[name]} and as ${value}`)
    }
    options[name] = value
  }
  return options
}

/** Why options made by code are invalid; undefined if they are valid. */
export function optionsProblem(options: TableOptions): string | undefined {
  if (typeof options !== 'object' || options === null) return `table options are ${String(options)}`
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(parsers, key)) return `unknown table option ${key}`
    if (value === undefined) continue
    try {
      if (parsers[key as keyof TableOptions](String(value), key) === value) continue
    } catch {
      // Said below.
    }
    return `table option ${key} is ${String(value)}, a ${typeof value}, which it cannot be`
  }
  return undefined
}

function parseFlag(text: string, key: string): boolean {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw new DbError('InvalidArguments', `table option ${key}: expected true or false, got ${text}`)
}

function parseTableName(text: string, key: string): string {
  const problem = nameProblem('table', text)
  if (problem !== undefined) throw new DbError('InvalidArguments', `table option ${key}: ${problem}`)
  return text
}

function parseMergeMode(text: string): MergeMode {
  if (text === 'last_row' || text === 'last_non_null') return text
  throw new DbError('InvalidArguments', `table option merge_mode: expected last_row or last_non_null, got ${text}`)
}
