// Decides which records of a damaged log can be kept, and rewrites its segments with those.
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { decodeRecord, type RecordPart } from '../log/record.ts'
import { recordHeaderBytes, segmentHeader, segmentHeaderBytes, segmentName } from '../log/segment.ts'
import { syncFolder } from '../log/wal.ts'
import { noTags } from '../series/series.ts'
import type { DataFolder } from './check.ts'
import type { LogScan, RecordPosition, SegmentScan } from './log-scan.ts'
import type { RepairStep } from './repair.ts'

/** A segment to be written. */
interface Plan {
  readonly number: number
  readonly scan: SegmentScan | undefined
  readonly kept: readonly RecordPosition[]
  readonly dropped: readonly RecordPosition[]
  readonly firstSeq: number
}

/** No steps if the log is sound. */
export async function planLogRepair(
  catalog: DatabaseSync,
  log: LogScan,
  folder: DataFolder,
  lostFolder: string
): Promise<RepairStep[]> {
  const broken = log.segments.filter(segment => segment.damages.length > 0).map(segment => segment.number)
  const from = [...broken, ...log.missing].reduce((first, number) => Math.min(first, number), Number.POSITIVE_INFINITY)
  if (from === Number.POSITIVE_INFINITY) return []
  const known = seriesOf(catalog)
  const flushed = flushedSeqs(catalog)
  const numbers = [...log.segments.map(segment => segment.number), ...log.missing].sort((a, b) => a - b)
  const plans: Plan[] = []
  let doubtful = false
  let nextSeq = 1
  for (const number of numbers) {
    const scan = log.segments.find(segment => segment.number === number)
    const bytes = scan && (await readFile(scan.path))
    const kept: RecordPosition[] = []
    const dropped: RecordPosition[] = []
    for (const record of scan?.records ?? []) {
      if (scan!.damages.some(damage => damage.at < record.at && damage.at >= segmentHeaderBytes)) doubtful = true
      const payload = bytes!.subarray(record.at + recordHeaderBytes, record.at + record.bytes)
      const understood = learn(payload, record.seq, known, flushed)
      if (understood || !doubtful) kept.push(record)
      else dropped.push(record)
    }
    doubtful ||= scan === undefined || scan.damages.some(damage => damage.at >= segmentHeaderBytes)
    const firstSeq = scan?.header?.firstSeq ?? scan?.records[0]?.seq ?? nextSeq
    nextSeq = Math.max(nextSeq, firstSeq, ...(scan?.records ?? []).slice(-1).map(record => record.seq + record.rows))
    plans.push({ number, scan, kept, dropped, firstSeq })
  }
  const affected = plans.filter(plan => plan.number >= from)
  const before = plans.filter(plan => plan.number < from).at(-1)?.scan?.bytes ?? 0
  return [{ lines: describe(affected, plans, folder), run: () => rewrite(affected, before, folder, lostFolder) }]
}

/** Number of known series per table, including the one without tags. */
function seriesOf(catalog: DatabaseSync): Map<number, number> {
  const rows = catalog.prepare('SELECT table_id, count(*) AS series FROM series GROUP BY table_id').all()
  return new Map(rows.map(row => [Number(row.table_id), Number(row.series) + 1]))
}

function flushedSeqs(catalog: DatabaseSync): Map<number, number> {
  const rows = catalog.prepare('SELECT id, flushed_seq FROM tables').all()
  return new Map(rows.map(row => [Number(row.id), Number(row.flushed_seq)]))
}

/**
 * Whether all series a record uses are known; if so, the new ones it brings become known. All parts of a record are kept or dropped together,
 * as one request.
 */
function learn(
  payload: Uint8Array,
  seq: number,
  known: Map<number, number>,
  flushed: ReadonlyMap<number, number>
): boolean {
  const grown = new Map<number, number>()
  let first = seq
  for (const part of decodeRecord(payload, () => undefined)) {
    const end = flushed.get(part.table)
    // Rows of dropped tables, and rows that are in files, are skipped like at a start.
    if (end !== undefined && first >= end) {
      const count = countSeries(part, grown.get(part.table) ?? known.get(part.table) ?? noTags + 1)
      if (count === undefined) return false
      grown.set(part.table, count)
    }
    first += part.rows
  }
  for (const [table, count] of grown) known.set(table, count)
  return true
}

function countSeries({ series, tsids }: RecordPart, known: number): number | undefined {
  let count = known
  for (const { tsid } of series) {
    if (tsid > count) return undefined
    if (tsid === count) count++
  }
  return tsids?.some(tsid => tsid >= count) ? undefined : count
}

function describe(affected: readonly Plan[], plans: readonly Plan[], { wal }: DataFolder): string[] {
  const lines: string[] = []
  for (const { number, scan, kept, dropped } of affected) {
    const path = join(wal, segmentName(number))
    if (scan === undefined) {
      lines.push(`${path}: the segment is missing, ${gap(plans, number)}; an empty one takes its place`)
      continue
    }
    for (const damage of scan.damages) {
      if (damage.at < segmentHeaderBytes)
        lines.push(`${path}: the segment header is written anew, nothing is lost by it`)
      else
        lines.push(
          `${path}: bytes ${damage.at} to ${damage.end} are dropped (${damage.reason}), ${within(scan, damage.at, plans)}`
        )
    }
    const behind = kept.filter(record => scan.damages.some(damage => damage.at < record.at)).length
    if (behind > 0) lines.push(`${path}: ${behind} whole records behind the damage are kept`)
    if (dropped.length > 0) {
      const rows = dropped.reduce((sum, record) => sum + record.rows, 0)
      lines.push(
        `${path}: ${dropped.length} whole records with ${rows} rows are dropped, too: they use series only lost records describe`
      )
    }
  }
  return lines
}

/** Number of rows between the intact records around a damage; includes rows that were never logged. */
function within(scan: SegmentScan, at: number, plans: readonly Plan[]): string {
  const before = scan.records.findLast(record => record.at < at) ?? lastBefore(plans, scan.number)
  const next = scan.records.find(record => record.at > at) ?? firstAfter(plans, scan.number)
  return rowsBetween(before, next)
}

function gap(plans: readonly Plan[], number: number): string {
  return rowsBetween(lastBefore(plans, number), firstAfter(plans, number))
}

function lastBefore(plans: readonly Plan[], number: number): RecordPosition | undefined {
  return plans.findLast(plan => plan.number < number && plan.scan?.records.length)?.scan?.records.at(-1)
}

function firstAfter(plans: readonly Plan[], number: number): RecordPosition | undefined {
  return plans.find(plan => plan.number > number && plan.scan?.records.length)?.scan?.records[0]
}

function rowsBetween(before: RecordPosition | undefined, next: RecordPosition | undefined): string {
  return before === undefined || next === undefined
    ? 'nobody knows how many rows with them'
    : `at most ${next.seq - before.seq - before.rows} rows with them`
}

/** Rewrites the segments, oldest first. If it is interrupted, the lengths in the headers do not match, so that no server starts on it. */
async function rewrite(affected: readonly Plan[], bytesBefore: number, folder: DataFolder, lostFolder: string) {
  let previousBytes = bytesBefore
  for (const plan of affected) {
    const path = join(folder.wal, segmentName(plan.number))
    const header = segmentHeader({ number: plan.number, firstSeq: plan.firstSeq, previousBytes })
    const bytes = plan.scan && (await readFile(path))
    const records = plan.kept.map(({ at, bytes: length }) => bytes!.subarray(at, at + length))
    const content = Buffer.concat([header, ...records])
    await writeDurably(`${path}.repaired`, content)
    if (bytes !== undefined) await keepOriginal(path, lostFolder)
    await rename(`${path}.repaired`, path)
    await syncFolder(folder.wal)
    previousBytes = content.length
  }
}

async function keepOriginal(path: string, lostFolder: string): Promise<void> {
  const copy = join(lostFolder, 'wal', path.slice(path.lastIndexOf('/') + 1))
  await mkdir(dirname(copy), { recursive: true })
  await rm(copy, { force: true })
  // A hard link if possible; the log may be on another disk than the data.
  await link(path, copy).catch(async () => writeDurably(copy, await readFile(path)))
}

async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}
