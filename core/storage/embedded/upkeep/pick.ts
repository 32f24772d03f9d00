// Which files of a table are worth merging: pure, so that the policy can be read and tested by itself.
import type { Table } from '../../../model/table.ts'
import { type TimestampType, timeUnit, unitsPerSecond } from '../../../model/types.ts'
import type { DataFile } from '../catalog/catalog-rows.ts'
import { hasSeries, isNumbered } from '../catalog/logical.ts'
import { usualGroup } from '../datafile/row-group.ts'
import { rowsPerGroup } from '../index/index-spec.ts'
import { meets } from '../read/plan.ts'

/** Files of this size are left alone: merging more saves readers nothing. */
const fullBytes = 128 * 2 ** 20
/**
 * Row groups of a full file. Rows lie by series: of a file that spans a day a query of an hour decodes a day. 256 groups of 50,000 series that
 * write every 15 s are 2.6 hours.
 */
const fullGroups = 256
/**
 * The same of a table with indexes, whose groups are small: DuckDB reads the footer of a file, in which each has its part, twice in every
 * statement, also where an index leaves one of them. 92 groups of ten columns take 4 ms, 459 take 21.
 */
const fullIndexedGroups = 128
/** So many small files of a window are merged. */
const minFiles = 4
/** So few bytes are merged with anything. */
const fewBytes = 2 ** 20
/** Seconds of a time window: files of different windows are kept apart, so that whole files expire. */
const windowSeconds = 86_400n

/** Files to merge into one now, or none; one alone where it is of an older format. Between two of them no other file lies whose versions could come between theirs. */
export function pickFiles(table: Table, files: readonly DataFile[], cutoff: bigint | undefined): readonly DataFile[] {
  const live = files.filter(file => cutoff === undefined || file.maxTime >= cutoff)
  const halfExpired = live.find(file => cutoff !== undefined && file.minTime + file.maxTime < 2n * cutoff)
  if (halfExpired) return isWhole(table, [halfExpired], live) ? [halfExpired] : []
  const older = hasSeries(table) ? live.find(file => !isNumbered(file) && isWhole(table, [file], live)) : undefined
  if (older) return [older]
  const sizeOf = sizes(table)
  const small = live.filter(file => sizeOf(file) < fullBytes / 2)
  const windows = Map.groupBy(small, file => windowOf(table, file))
  for (const group of windows.values()) {
    const picked = pickRun(table, group, live, sizeOf)
    if (picked.length > 0) return picked
  }
  return []
}

/** Whether the file is one of those that are merged again and again while small ones come after it. */
export function isSmall(table: Table, file: DataFile): boolean {
  return sizes(table)(file) < fullBytes / 4
}

/** The longest run of small files in the order they were written that makes one full file. */
function pickRun(
  table: Table,
  group: readonly DataFile[],
  all: readonly DataFile[],
  sizeOf: SizeOf
): readonly DataFile[] {
  const sorted = [...group].sort((a, b) => a.minSeq - b.minSeq)
  let run: DataFile[] = []
  let size = 0
  for (const file of sorted) {
    if (size + sizeOf(file) > fullBytes && run.length > 0) {
      const picked = worthwhile(table, run, all, sizeOf)
      if (picked.length > 0) return picked
      run = []
      size = 0
    }
    run.push(file)
    size += sizeOf(file)
  }
  return worthwhile(table, run, all, sizeOf)
}

/**
 * The run, or its later part: a file is merged with others that are three times as large together, so that its rows are written anew a few times until
 * it is full, however many small files come after it.
 */
function worthwhile(
  table: Table,
  run: readonly DataFile[],
  all: readonly DataFile[],
  sizeOf: SizeOf
): readonly DataFile[] {
  for (let from = 0; from < run.length - 1; from++) {
    const part = run.slice(from)
    const bytes = sum(part, ({ bytes }) => bytes)
    if (bytes > fewBytes && 4 * part[0]!.bytes > bytes) continue
    return isWorth(table, part, all, sizeOf) ? part : []
  }
  return []
}

function isWorth(table: Table, run: readonly DataFile[], all: readonly DataFile[], sizeOf: SizeOf): boolean {
  if (run.length < 2 || !isWhole(table, run, all)) return false
  const versions =
    !table.options.append_mode && run.some((file, i) => run.slice(i + 1).some(other => meets(file, other)))
  return run.length >= minFiles || versions || sum(run, sizeOf) >= fullBytes / 2
}

/**
 * Merging gives a row the number of its newest version. Where versions are merged field by field, a version in another file must not
 * lie between those merged; append tables have no versions.
 */
function isWhole(table: Table, run: readonly DataFile[], all: readonly DataFile[]): boolean {
  if (table.options.append_mode) return true
  const minSeq = run.reduce((min, file) => Math.min(min, file.minSeq), Number.POSITIVE_INFINITY)
  const maxSeq = run.reduce((max, file) => Math.max(max, file.maxSeq), Number.NEGATIVE_INFINITY)
  const members = new Set(run)
  return !all.some(
    file =>
      !members.has(file) && file.minSeq <= maxSeq && file.maxSeq >= minSeq && run.some(member => meets(member, file))
  )
}

function windowOf(table: Table, file: DataFile): bigint {
  return file.minTime / (windowSeconds * unitsPerSecond[timeUnit(table.timeIndex.type as TimestampType)])
}

type SizeOf = (file: DataFile) => number

/** Bytes of a file, or as many as its row groups are of a full one. */
function sizes(table: Table): SizeOf {
  const perGroup = rowsPerGroup(table)
  const fullRows = perGroup === undefined ? fullGroups * usualGroup : fullIndexedGroups * perGroup
  return ({ bytes, rows }) => Math.max(bytes, (rows / fullRows) * fullBytes)
}

function sum(files: readonly DataFile[], of: (file: DataFile) => number): number {
  return files.reduce((sum, file) => sum + of(file), 0)
}
