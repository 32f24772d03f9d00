// Reads log segments to their end in spite of damage: finds the intact records, and where the damage is.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  cutBefore,
  type LogEnd,
  readRecord,
  readSegmentHeader,
  recordHeaderBytes,
  type SegmentHeader,
  segmentHeaderBytes,
  segmentName
} from '../log/segment.ts'
import { type LogBounds, segmentFiles } from '../open.ts'

export interface RecordPosition {
  readonly at: number
  /** Including the header. */
  readonly bytes: number
  readonly seq: number
  readonly rows: number
}

interface LogDamage {
  readonly at: number
  /** Where reading continued. */
  readonly end: number
  readonly reason: string
}

export interface SegmentScan {
  readonly path: string
  readonly number: number
  /** Length of the file. */
  readonly bytes: number
  readonly header: SegmentHeader | undefined
  /** The intact ones, including those behind a damage. */
  readonly records: readonly RecordPosition[]
  readonly damages: readonly LogDamage[]
  /** A torn end left by a crash; the next start cuts it off. */
  readonly torn: LogDamage | undefined
}

export interface LogScan {
  /** Oldest first. */
  readonly segments: readonly SegmentScan[]
  /** Numbers of missing segments. */
  readonly missing: readonly number[]
}

/** `decode` throws for a payload that cannot be decoded. */
export async function scanLog(
  dir: string,
  { first, last, end }: LogBounds,
  decode: (payload: Uint8Array) => void = () => {}
): Promise<LogScan> {
  const names = await segmentFiles(dir)
  const segments: SegmentScan[] = []
  for (const [i, name] of names.entries()) {
    if (first !== undefined && name < segmentName(first)) continue
    segments.push(await scanSegment(join(dir, name), { last: i === names.length - 1, begun: last ?? 0, decode }))
  }
  const found = new Set(segments.map(segment => segment.number))
  const lowest = first ?? segments[0]?.number ?? 0
  const highest = Math.max(last ?? 0, segments.at(-1)?.number ?? 0)
  const missing: number[] = []
  for (let number = lowest; number <= highest && number > 0; number++) if (!found.has(number)) missing.push(number)
  const whole = segments.map((segment, i) => withCutEnd(segment, segments[i + 1]))
  return { segments: whole.map(segment => withEarlyEnd(segment, end)), missing }
}

/** An end before the point that is known to be on disk is damage, not a torn end. */
function withEarlyEnd(segment: SegmentScan, end: LogEnd | undefined): SegmentScan {
  const at = segment.torn?.at ?? segment.bytes
  const reason = cutBefore(end, segment.number, at)
  if (reason === undefined || segment.damages.length > 0) return segment
  return { ...segment, torn: undefined, damages: [{ at, end: segment.bytes, reason }] }
}

/** A segment cut at a record boundary looks complete; only the next segment knows its length. */
function withCutEnd(segment: SegmentScan, next: SegmentScan | undefined): SegmentScan {
  const written = next?.number === segment.number + 1 ? next.header?.previousBytes : undefined
  if (written === undefined || written === segment.bytes || segment.damages.length > 0) return segment
  const reason = `the segment has ${segment.bytes} bytes, ${written} were written`
  return { ...segment, damages: [{ at: Math.min(segment.bytes, written), end: segment.bytes, reason }] }
}

type Decode = (payload: Uint8Array) => void

interface SegmentFacts {
  /** It is the latest. */
  readonly last: boolean
  /** The highest segment known to have its header. */
  readonly begun: number
  readonly decode: Decode
}

async function scanSegment(path: string, { last, begun, decode }: SegmentFacts): Promise<SegmentScan> {
  const bytes = await readFile(path)
  const number = Number.parseInt(path.slice(path.lastIndexOf('/') + 1), 10)
  const header = readSegmentHeader(bytes)
  const base = { path, number, bytes: bytes.length, header }
  if (header === undefined && last && bytes.length <= segmentHeaderBytes && number > begun) {
    const torn = { at: 0, end: bytes.length, reason: 'the segment was being started' }
    return { ...base, records: [], damages: [], torn }
  }
  const found = scanRecords(bytes, last, decode)
  if (bytes.length < segmentHeaderBytes) {
    const short = {
      at: segmentHeaderBytes,
      end: segmentHeaderBytes,
      reason: `the segment has ${bytes.length} bytes alone`
    }
    return { ...base, records: [], damages: [short], torn: undefined }
  }
  const mismatch = { at: 0, end: segmentHeaderBytes, reason: 'the segment header does not match its checksum' }
  return { ...base, ...found, damages: header === undefined ? [mismatch, ...found.damages] : found.damages }
}

function scanRecords(
  bytes: Uint8Array,
  last: boolean,
  decode: Decode
): Pick<SegmentScan, 'records' | 'damages' | 'torn'> {
  const records: RecordPosition[] = []
  const damages: LogDamage[] = []
  let at = segmentHeaderBytes
  let seq = 0
  let number = 0
  while (at < bytes.length) {
    const record = readRecord(bytes, at)
    number++
    if (record.kind === 'whole') {
      const length = recordHeaderBytes + record.payload.length
      const problem = problemOf(record.payload, decode)
      if (problem === undefined) records.push({ at, bytes: length, seq: record.seq, rows: record.rows })
      else damages.push({ at, end: at + length, reason: `record ${number} of the segment cannot be read: ${problem}` })
      seq = record.seq + record.rows
      at += length
      continue
    }
    const rest = { at, end: bytes.length, reason: record.reason }
    if (record.kind === 'torn' && last) return { records, damages, torn: rest }
    const end = nextRecord(bytes, at, seq) ?? bytes.length
    damages.push({ ...rest, end })
    at = end
  }
  return { records, damages, torn: undefined }
}

function problemOf(payload: Uint8Array, decode: Decode): string | undefined {
  try {
    decode(payload)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * The start of the record behind a damaged one, if the length can be trusted: as it is, or with one bit flipped, it leads to an intact
 * record. Bytes are not searched for record headers, because rows may contain such bytes.
 */
function nextRecord(bytes: Uint8Array, at: number, seq: number): number | undefined {
  if (bytes.length - at < recordHeaderBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(at, true)
  const lengths = [length, ...Array.from({ length: 32 }, (_, bit) => (length ^ (1 << bit)) >>> 0)]
  const start = at + recordHeaderBytes
  for (const candidate of lengths) {
    const end = start + candidate
    if (end > bytes.length) continue
    if (end === bytes.length && view.getUint32(at + 16, true) === crc32(bytes.subarray(start))) return end
    const next = readRecord(bytes, end)
    if (next.kind === 'whole' && next.seq >= seq) return end
  }
  return undefined
}
