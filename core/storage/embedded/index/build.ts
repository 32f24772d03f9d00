// Makes the filters of one data file: DuckDB reads its columns, a thread of ours the tokens.
import { join } from 'node:path'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { type Duckdb, quoteName, quoteText } from '../duckdb/index.ts'
import { indexPath, type NewSection } from './format.ts'
import { groupColumn } from './group-column.ts'
import { HashSet } from './hash-set.ts'
import { writeSideFile } from './side-file.ts'
import { filterOf } from './token-filter.ts'
import type { Tokenizer } from './tokenizer.ts'
import type { WantedSection } from './wanted.ts'

export interface BuildParts {
  readonly duckdb: Pick<Duckdb, 'scan'>
  readonly tokenizer: Tokenizer
  readonly dataDir: string
}

/** Text read at once; a row group with more than the second gets no filter. */
const batchBytes = 32 * 2 ** 20
const longestGroup = 256 * 2 ** 20
const batchGroups = 64

/** Writes the side file of a data file and returns its bytes. A file from before its table had indexes is one group. */
export async function buildIndex(parts: BuildParts, file: DataFile, wanted: readonly WantedSection[]): Promise<number> {
  const path = join(parts.dataDir, file.path)
  const rows = await numberedRows(parts.duckdb, path)
  const sections: NewSection[] = []
  for (const section of wanted) {
    if (!file.columns.includes(section.column.id)) continue
    const { column, kind, falsePositiveRate } = section
    const filters = kind === 'values' ? valueFilters : termFilters
    sections.push({ column: column.id, kind, falsePositiveRate, filters: await filters(parts, rows, section) })
  }
  return writeSideFile(indexPath(path), { checksum: file.checksum, bytes: file.bytes }, sections)
}

interface NumberedRows {
  /** SQL expression for the rows with the number of their group. */
  readonly source: string
  readonly groups: number
}

async function numberedRows({ scan }: BuildParts['duckdb'], path: string): Promise<NumberedRows> {
  const from = `FROM parquet_metadata(${quoteText(path)}) WHERE path_in_schema = '${groupColumn}'`
  let groups = 0
  await scan(`SELECT coalesce(max(stats_max_value::INTEGER) + 1, 0)::UINTEGER ${from}`, chunk => {
    groups = chunk.uint32(0)[0]!
  })
  const source = `read_parquet(${quoteText(path)})`
  if (groups > 0) return { source, groups }
  return { source: `(SELECT *, 0::UINTEGER AS ${groupColumn} FROM ${source})`, groups: 1 }
}

async function termFilters(
  { duckdb, tokenizer }: BuildParts,
  { source, groups }: NumberedRows,
  { column, kind, falsePositiveRate }: WantedSection
): Promise<(Uint32Array | undefined)[]> {
  const name = quoteName(column.physical)
  const sizes = new Float64Array(groups)
  const size = `least(coalesce(sum(strlen(${name})), 0), 4294967295)::UINTEGER`
  await duckdb.scan(`SELECT ${groupColumn}, ${size} FROM ${source} GROUP BY 1`, chunk => {
    const [ids, bytes] = [chunk.uint32(0), chunk.uint32(1)]
    ids.forEach((id, row) => {
      sizes[id] = bytes[row]!
    })
  })
  const filters: (Uint32Array | undefined)[] = Array.from(sizes, bytes =>
    bytes > longestGroup ? undefined : new Uint32Array(0)
  )
  const text = kind === 'folded_terms' ? `lower(${name})` : name
  for (const [first, last] of batches(sizes)) {
    const where = `WHERE ${groupColumn} BETWEEN ${first} AND ${last}`
    const asked: Promise<void>[] = []
    await duckdb.scan(
      `SELECT ${groupColumn}, string_agg(${text}, chr(10)) FROM ${source} ${where} GROUP BY 1`,
      chunk => {
        chunk.uint32(0).forEach((id, row) => {
          const bytes = chunk.text(1, row)
          if (bytes === undefined) return
          asked.push(
            tokenizer.filter(bytes, falsePositiveRate).then(words => {
              filters[id] = words
            })
          )
        })
      }
    )
    await Promise.all(asked)
  }
  return filters
}

/** Runs of neighbouring groups, first and last, that are read together; groups that are too long are in none. */
function* batches(sizes: Float64Array): Iterable<readonly [number, number]> {
  let first = 0
  let bytes = 0
  for (let id = 0; id < sizes.length; id++) {
    const isTooLong = sizes[id]! > longestGroup
    const isFull = id - first >= batchGroups || bytes + sizes[id]! > batchBytes
    if ((isTooLong || isFull) && id > first) yield [first, id - 1]
    if (isTooLong) first = id + 1
    else if (isFull) first = id
    bytes = isTooLong || isFull ? (isTooLong ? 0 : sizes[id]!) : bytes + sizes[id]!
  }
  if (first < sizes.length) yield [first, sizes.length - 1]
}

async function valueFilters(
  { duckdb }: BuildParts,
  { source, groups }: NumberedRows,
  { column, falsePositiveRate }: WantedSection
): Promise<Uint32Array[]> {
  const name = quoteName(column.physical)
  const filters: Uint32Array[] = Array.from({ length: groups }, () => new Uint32Array(0))
  for (let first = 0; first < groups; first += batchGroups) {
    const sets = new Map<number, HashSet>()
    const where = `${groupColumn} BETWEEN ${first} AND ${first + batchGroups - 1} AND ${name} IS NOT NULL`
    const distinct = `SELECT DISTINCT ${groupColumn}, ${name} AS v FROM ${source} WHERE ${where}`
    await duckdb.scan(`SELECT ${groupColumn}, md5_number_lower(v::VARCHAR) FROM (${distinct})`, chunk => {
      const hashes = chunk.uint64(1)
      chunk.uint32(0).forEach((id, row) => {
        const set = sets.get(id) ?? new HashSet()
        sets.set(id, set)
        set.add(hashes[row * 2]!, hashes[row * 2 + 1]!)
      })
    })
    for (const [id, set] of sets) filters[id] = filterOf(set, falsePositiveRate)
  }
  return filters
}
