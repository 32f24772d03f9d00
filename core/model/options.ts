// Table options as text, from SQL, headers and pipelines, to checked values.
import { parseTtl } from '../config/units.ts'
import { DbError } from '../errors.ts'
import type { MergeMode, TableOptions } from './table.ts'

type Parser = (text: string, key: string) => string | boolean

const parsers: Readonly<Record<keyof TableOptions, Parser>> = {
  ttl: parseTtl,
  append_mode: parseFlag,
  merge_mode: parseMergeMode,
  skip_wal: parseFlag,
  physical_table: text => text,
  physical_metric_table: parseFlag,
  comment: text => text
}

/** Checked, canonical options. Throws `InvalidArguments` naming the key that is unknown or the value that does not fit. */
export function parseTableOptions(texts: Readonly<Record<string, string>>): TableOptions {
  const options: Record<string, string | boolean> = {}
  for (const [key, text] of Object.entries(texts)) {
    const name = key.toLowerCase()
    if (!Object.hasOwn(parsers, name)) throw new DbError('InvalidArguments', `Unrecognized table option key: ${key}`)
    options[name] = parsers[name as keyof TableOptions](text.trim(), name)
  }
  return options
}

function parseFlag(text: string, key: string): boolean {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw new DbError('InvalidArguments', `table option ${key}: expected true or false, got ${text}`)
}

function parseMergeMode(text: string): MergeMode {
  if (text === 'last_row' || text === 'last_non_null') return text
  throw new DbError('InvalidArguments', `table option merge_mode: expected last_row or last_non_null, got ${text}`)
}
