// Log segments on disk: their headers, and reading them after a stop or crash.
import { open, readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'

/** "WEIR", read little-endian. */
const magic = 0x52494557
const version = 1

/** magic u32, version u32, number u64, first sequence number u64, bytes of the segment before u64, checksum u32. */
export const segmentHeaderBytes = 36
/** length u32, rows u32, sequence number u64, checksum of the payload u32, checksum of the header u32. */
export const recordHeaderBytes = 24

/** The range of records in a segment. */
export interface Segment {
  readonly number: number
  bytes: number
  /** One above the highest sequence number in it. */
  endSeq: number
}

export interface SegmentHeader {
  readonly number: number
  readonly firstSeq: number
  /** Length of the previous segment, which reveals that it was cut at a record boundary. */
  readonly previousBytes: number
}

/** How many bytes of a segment are known to be on disk. */
export interface LogEnd {
  readonly segment: number
  readonly bytes: number
}

/** Why a segment with so many readable bytes cannot be complete; undefined if it may be. */
export function cutBefore(end: LogEnd | undefined, number: number, bytes: number): string | undefined {
  if (end?.segment !== number || bytes >= end.bytes) return undefined
  return `the segment ends at byte ${bytes}, at least ${end.bytes} bytes were on the disk: it was cut, or is an older copy`
}

export function segmentName(number: number): string {
  return `${String(number).padStart(10, '0')}.wal`
}

export function segmentHeader(header: SegmentHeader): Uint8Array {
  const view = new DataView(new ArrayBuffer(segmentHeaderBytes))
  view.setUint32(0, magic, true)
  view.setUint32(4, version, true)
  view.setBigUint64(8, BigInt(header.number), true)
  view.setBigUint64(16, BigInt(header.firstSeq), true)
  view.setBigUint64(24, BigInt(header.previousBytes), true)
  view.setUint32(32, crc32(new Uint8Array(view.buffer, 0, 32)), true)
  return new Uint8Array(view.buffer)
}

interface FoundLog {
  readonly segments: Segment[]
  /** One above the highest sequence number found. */
  readonly nextSeq: number
  readonly records: number
}

/**
 * Reads all segments in order and passes each record's payload to `replay`. A torn end of the last segment is reported, and cut off if `mend`
 * is set; any other damage throws with file and offset. `last` is the highest segment known to have its header, `end` how much of the log is
 * known to be on disk.
 */
export async function readLog(
  dir: string,
  log: Logger,
  replay: (seq: number, payload: Uint8Array) => Promise<void>,
  {
    mend = true,
    last: begun = 0,
    end
  }: { readonly mend?: boolean; readonly last?: number | undefined; readonly end?: LogEnd | undefined } = {}
): Promise<FoundLog> {
  const names = (await readdir(dir)).filter(name => name.endsWith('.wal')).sort()
  const segments: Segment[] = []
  let nextSeq = 1
  let records = 0
  for (const [i, name] of names.entries()) {
    const path = join(dir, name)
    const bytes = await readFile(path)
    const last = i === names.length - 1
    const header = readSegmentHeader(bytes)
    if (header === undefined) {
      if (!last || bytes.length > segmentHeaderBytes || name <= segmentName(begun))
        throw damage(path, 0, 'the segment header does not match its checksum')
      // The crash came while the segment was created, so it never had records.
      log.warn({ file: path }, 'the log ends with an unfinished segment without records')
      if (mend) await unlink(path)
      continue
    }
    checkOrder(path, header, segments.at(-1))
    nextSeq = Math.max(nextSeq, header.firstSeq)
    const segment: Segment = { number: header.number, bytes: bytes.length, endSeq: 0 }
    let at = segmentHeaderBytes
    let number = 0
    while (at < bytes.length) {
      const record = readRecord(bytes, at)
      number++
      if (record.kind !== 'whole') {
        if (!last || record.kind === 'damaged') throw damage(path, at, record.reason)
        const early = cutBefore(end, header.number, at)
        if (early !== undefined) throw damage(path, at, early)
        log.warn(
          { file: path, offset: at, bytes: bytes.length - at, reason: record.reason },
          'the end of the log is torn: what was never answered is left out'
        )
        if (mend) await cut(path, at)
        segment.bytes = at
        break
      }
      await replay(record.seq, record.payload).catch(error => {
        throw named(path, at, number, error)
      })
      segment.endSeq = record.seq + record.rows
      nextSeq = Math.max(nextSeq, segment.endSeq)
      records++
      at += recordHeaderBytes + record.payload.length
    }
    const early = cutBefore(end, header.number, segment.bytes)
    if (early !== undefined) throw damage(path, segment.bytes, early)
    segments.push(segment)
  }
  return { segments, nextSeq, records }
}

/** The header at the start of a segment; undefined if the bytes are too few or the checksum is wrong. Throws if another version wrote it. */
export function readSegmentHeader(bytes: Uint8Array): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(32, true) !== crc32(bytes.subarray(0, 32)) || view.getUint32(0, true) !== magic) return undefined
  if (view.getUint32(4, true) !== version) {
    throw new DbError(
      'StorageUnavailable',
      `the log was written by a newer version of the server: it has format ${view.getUint32(4, true)}, this version knows up to ${version}. Start the newer version, or restore a backup`
    )
  }
  return {
    number: Number(view.getBigUint64(8, true)),
    firstSeq: Number(view.getBigUint64(16, true)),
    previousBytes: Number(view.getBigUint64(24, true))
  }
}

function checkOrder(path: string, header: SegmentHeader, previous: Segment | undefined): void {
  if (previous === undefined) return
  if (header.number !== previous.number + 1) {
    throw damage(path, 0, `segment ${segmentName(previous.number + 1)} is missing before it`)
  }
  if (header.previousBytes !== previous.bytes) {
    const reason = `segment ${segmentName(previous.number)} has ${previous.bytes} bytes, ${header.previousBytes} were written`
    throw damage(path, 0, reason)
  }
}

type RecordRead =
  | { readonly kind: 'whole'; readonly seq: number; readonly rows: number; readonly payload: Uint8Array }
  | { readonly kind: 'torn' | 'damaged'; readonly reason: string }

/** A record that ends beyond the file, or in a part that was never written (zeros), is torn; a complete but wrong one is damaged. */
export function readRecord(bytes: Uint8Array, at: number): RecordRead {
  if (bytes.length - at < recordHeaderBytes) return { kind: 'torn', reason: 'the file ends inside a record header' }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, recordHeaderBytes)
  if (view.getUint32(20, true) !== crc32(bytes.subarray(at, at + 20))) {
    const unwritten = isZero(bytes.subarray(at))
    return { kind: unwritten ? 'torn' : 'damaged', reason: 'a record header does not match its checksum' }
  }
  const start = at + recordHeaderBytes
  const end = start + view.getUint32(0, true)
  if (end > bytes.length) return { kind: 'torn', reason: 'the file ends inside a record' }
  const payload = bytes.subarray(start, end)
  if (view.getUint32(16, true) !== crc32(payload)) {
    const unwritten = end === bytes.length && hasHole(payload)
    return { kind: unwritten ? 'torn' : 'damaged', reason: 'a record does not match its checksum' }
  }
  return { kind: 'whole', seq: Number(view.getBigUint64(8, true)), rows: view.getUint32(4, true), payload }
}

/** A record that was written completely but cannot be decoded. */
export class UnreadableRecord extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function named(path: string, at: number, number: number, error: unknown): unknown {
  if (!(error instanceof UnreadableRecord)) return error
  return damage(path, at, `record ${number} of the segment cannot be read: ${error.message}`)
}

async function cut(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.truncate(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte === 0)
}

/** Whether the end is a whole block of zeros: pages that did not reach the disk before a power cut. */
function hasHole(payload: Uint8Array): boolean {
  return payload.length >= 512 && isZero(payload.subarray(payload.length - 512))
}

function damage(path: string, offset: number, reason: string): DbError {
  return new DbError(
    'StorageUnavailable',
    `the log is damaged: ${path} at byte ${offset}: ${reason}. Restore the file from a backup, or see what weir storage repair would do.`
  )
}
