// The write-ahead log: segments of checksummed records, written in groups that share one sync (group commit).
import { close, constants, fdatasync, ftruncate, open, unlink, writev } from 'node:fs'
import { open as openHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { DbError, isDbError } from '../../../errors.ts'
import type { Logger } from '../../../log/log.ts'
import type { Counter, Histogram } from '../../../metrics/metrics.ts'
import type { Steps } from '../../../pace.ts'
import { every, type Timer } from '../../../timer.ts'
import { failpoint, faultpoint } from '../failpoint.ts'
import { needsRestart } from '../needs-restart.ts'
import {
  type LogEnd,
  recordHeaderBytes,
  type Segment,
  segmentHeader,
  segmentHeaderBytes,
  segmentName
} from './segment.ts'

export interface WalOptions {
  readonly dir: string
  readonly sync: 'always' | 'interval' | 'none'
  /** Milliseconds between syncs, for `interval`. */
  readonly syncInterval: number
  /** Bytes after which a new segment is started. */
  readonly segmentSize: number
  /** Resolves when all tables and columns that records may refer to are on disk. */
  readonly namesDurable: () => Promise<void>
  /** Records durably which segments must exist: before older ones are removed, and after a new one was created. */
  readonly remember: (bound: 'first' | 'last', segment: number) => Promise<void>
  /** Records how many bytes of a segment are on disk. */
  readonly rememberEnd: (end: LogEnd) => Promise<void>
}

interface Waiting {
  readonly seq: number
  readonly rows: number
  readonly buffers: readonly Uint8Array[]
  /** Not a record, but a request to sync everything before it. */
  readonly syncOnly: boolean
  readonly apply: () => Steps<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * With `O_DSYNC` each write also syncs, which saves a system call and a thread switch per group. Used on Linux only, where it guarantees as
 * much as a sync.
 */
const syncedByWrites = process.platform === 'linux' ? constants.O_DSYNC : 0
/** Errors that refuse a write before anything of it can have been synced. */
const noRoom: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const sync = promisify(fdatasync)
const truncate = promisify(ftruncate)
const closeFile = promisify(close)
const openFile = promisify(open)
const removeFile = promisify(unlink)

/** An open segment that takes this share of its size, and whose rows are all in files, is worth removing. */
const removableShare = 1 / 16

/** Seconds after which a write in progress counts as stuck. */
const stuckAfter = 10

export class WriteAheadLog {
  readonly #options: WalOptions
  readonly #log: Logger
  readonly #bytes: Counter
  readonly #syncSeconds: Histogram
  readonly #onFailure: () => void
  #segments: Segment[]
  #fd = -1
  #nextSeq: number
  #queue: Waiting[] = []
  #working: Promise<void> | undefined
  #pendingBytes = 0
  #dirty = false
  #timer: Timer | undefined
  /** The end of the log that is certainly on disk, and the one that is recorded. */
  #synced: LogEnd | undefined
  #remembered: LogEnd | undefined
  /** The segment that the catalog knows as the last one. */
  #announced = 0
  /** Why the log accepts nothing until a restart. */
  #broken: DbError | undefined
  /** Start of the current write, as `performance.now`. */
  #writingSince: number | undefined

  /** `onFailure` is called when records were refused, before their writers are told. */
  constructor(
    options: WalOptions,
    log: Logger,
    metrics: { readonly bytes: Counter; readonly syncSeconds: Histogram },
    found: { readonly segments: readonly Segment[]; readonly nextSeq: number },
    onFailure: () => void
  ) {
    this.#options = options
    this.#log = log
    this.#bytes = metrics.bytes
    this.#syncSeconds = metrics.syncSeconds
    this.#segments = [...found.segments]
    this.#nextSeq = found.nextSeq
    this.#onFailure = onFailure
  }

  /** Why nothing can be written: the log is broken, or a write is stuck. */
  get trouble(): string | undefined {
    if (this.#broken !== undefined) return this.#broken.message
    const since = this.#writingSince
    const seconds = since === undefined ? 0 : Math.floor((performance.now() - since) / 1000)
    return seconds >= stuckAfter ? `a write of the log has not come to its end for ${seconds} s` : undefined
  }

  /** Sequence number of the next row. */
  get nextSeq(): number {
    return this.#nextSeq
  }

  /** Bytes of records that are not answered yet, including those whose writers no longer wait. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  get #isSyncedByWrites(): boolean {
    return this.#options.sync === 'always' && syncedByWrites !== 0
  }

  /** Bytes of all segments. */
  get size(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0)
  }

  /** Number of segments. */
  get segments(): number {
    return this.#segments.length
  }

  /** Starts a new segment after the existing ones. */
  async start(): Promise<void> {
    await this.#rotate()
    if (this.#options.sync !== 'interval') return
    this.#timer = every(this.#options.syncInterval, () => void this.flush().catch(() => {}))
    this.#timer.unref()
  }

  /** Reserves sequence numbers for rows that are not logged. */
  reserve(rows: number): number {
    const seq = this.#nextSeq
    this.#nextSeq += rows
    return seq
  }

  /**
   * Queues a record. `apply(seq)` is run in log order once the record is as durable as configured; `seq` is its first row's sequence
   * number. The promise resolves right after its last step.
   */
  async append(rows: number, buffers: readonly Uint8Array[], apply: (seq: number) => Steps<void>): Promise<void> {
    if (this.#broken) throw this.#broken
    const seq = this.reserve(rows)
    const bytes = countBytes(buffers)
    this.#pendingBytes += bytes
    try {
      await this.#enqueue({ seq, rows, buffers, syncOnly: false, apply: () => apply(seq) })
    } finally {
      this.#pendingBytes -= bytes
    }
  }

  /** Syncs everything appended so far. */
  async flush(): Promise<void> {
    if (!this.#dirty && this.#working === undefined) return
    await this.#enqueue({ seq: this.#nextSeq, rows: 0, buffers: [], syncOnly: true, apply: nothing })
  }

  /** Records how far the log is on disk, so that a later cut, or an older copy of the log, is not mistaken for a torn end. */
  async rememberEnd(): Promise<void> {
    const end = this.#synced
    if (end === undefined || end === this.#remembered) return
    await this.#options.rememberEnd(end)
    this.#remembered = end
  }

  /** Removes segments without rows at or above `seq`. In place of a large open one the next is begun. */
  async dropBefore(seq: number): Promise<void> {
    await this.#closeSegment(seq)
    await this.rememberEnd()
    const last = this.#segments.length - 1
    const kept = this.#segments.findIndex((segment, i) => i === last || segment.endSeq > seq)
    if (kept <= 0) return
    await this.#options.remember('first', this.#segments[kept]!.number)
    for (const segment of this.#segments.splice(0, kept)) {
      await removeFile(join(this.#options.dir, segmentName(segment.number)))
    }
  }

  /** Begins the next segment if the open one is worth removing and all its rows are below `seq`. Records that come meanwhile wait. */
  async #closeSegment(seq: number): Promise<void> {
    const { bytes, endSeq } = this.#segments.at(-1)!
    const isKept = bytes < this.#options.segmentSize * removableShare || endSeq > seq
    if (isKept || this.#broken || this.#working) return
    this.#working = this.#rotate()
      .catch(error => {
        this.#log.warn({ err: error }, 'the log keeps rows that are in files: no new segment could be begun')
      })
      .finally(() => {
        this.#working = this.#queue.length > 0 ? this.#work() : undefined
      })
    await this.#working
  }

  async close(): Promise<void> {
    this.#timer?.stop()
    if (this.#fd < 0) return
    while (this.#working) await this.#working
    await this.flush().catch(error => this.#log.error({ err: error }, 'the log could not be synced at the stop'))
    await closeFile(this.#fd)
    this.#fd = -1
    // The next start reads the log without it, too.
    await this.rememberEnd().catch(error => this.#log.error({ err: error }, 'the end of the log could not be noted'))
  }

  #enqueue(waiting: Omit<Waiting, 'resolve' | 'reject'>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...waiting, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  /** Writes everything queued in one go, syncs once, and repeats until the queue is empty. */
  async #work(): Promise<void> {
    // Waits so that requests of the same turn of the event loop share the first group.
    await new Promise<void>(resolve => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const group = this.#queue
      this.#queue = []
      this.#writingSince = performance.now()
      try {
        await this.#write(group)
        failpoint('wal.written')
        if (this.#dirty && (this.#options.sync === 'always' || group.some(waiting => waiting.syncOnly)))
          await this.#sync()
      } catch (error) {
        this.#refuse([...group, ...this.#queue.splice(0)], error)
        continue
      } finally {
        this.#writingSince = undefined
      }
      failpoint('wal.synced')
      await applyAll(group)
    }
    this.#working = undefined
  }

  #refuse(refused: readonly Waiting[], cause: unknown): void {
    const error = this.#broken ?? (isDbError(cause) ? cause : notWritten(cause))
    this.#log.error({ err: cause, records: refused.length }, 'log records were refused')
    this.#onFailure()
    for (const waiting of refused) waiting.reject(error)
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    if (this.#broken) throw this.#broken
    const records = group.filter(waiting => !waiting.syncOnly)
    if (records.length === 0) return
    if (this.#segments.at(-1)!.bytes >= this.#options.segmentSize) await this.#rotate()
    const segment = this.#segments.at(-1)!
    await this.#announce(segment.number)
    const buffers: Uint8Array[] = []
    for (const waiting of records) {
      buffers.push(recordHeader(waiting, await checksum(waiting.buffers)))
      for (const buffer of waiting.buffers) buffers.push(buffer)
    }
    const bytes = countBytes(buffers)
    await this.#options.namesDurable()
    const started = performance.now()
    this.#dirty = !this.#isSyncedByWrites
    try {
      faultpoint('wal.write')
      await writeAll(this.#fd, buffers, segment.bytes)
    } catch (error) {
      if (this.#isSyncedByWrites && !noRoom.has((error as NodeJS.ErrnoException).code)) throw this.#unsynced(error)
      await this.#cut(segment)
      throw error
    }
    if (this.#isSyncedByWrites) this.#syncSeconds.observe((performance.now() - started) / 1000)
    segment.bytes += bytes
    if (this.#isSyncedByWrites) this.#synced = { segment: segment.number, bytes: segment.bytes }
    const last = records.at(-1)!
    segment.endSeq = last.seq + last.rows
    this.#bytes.add(bytes)
  }

  /** Cuts off the bytes of a failed write, so that the next record follows the last good one. */
  async #cut(segment: Segment): Promise<void> {
    try {
      faultpoint('wal.cut')
      await truncate(this.#fd, segment.bytes)
    } catch (error) {
      this.#broken = needsRestart('the log could not be cut after a failed write', error)
    }
  }

  async #sync(): Promise<void> {
    const started = performance.now()
    this.#dirty = false
    const { number, bytes } = this.#segments.at(-1)!
    try {
      faultpoint('wal.sync')
      await sync(this.#fd)
    } catch (error) {
      throw this.#unsynced(error)
    }
    this.#synced = { segment: number, bytes }
    this.#syncSeconds.observe((performance.now() - started) / 1000)
  }

  /** After a failed sync it is unknown what is on disk; only a restart can find out. */
  #unsynced(cause: unknown): DbError {
    this.#broken = needsRestart('the log could not be synced', cause)
    return this.#broken
  }

  /** Begins the next segment. Where that fails the present one stays, and the next record tries again. */
  async #rotate(): Promise<void> {
    const previous = this.#segments.at(-1)
    if (this.#dirty) await this.#sync()
    const number = (previous?.number ?? 0) + 1
    const header = segmentHeader({ number, firstSeq: this.#nextSeq, previousBytes: previous?.bytes ?? 0 })
    const before = this.#fd
    this.#fd = await this.#create(segmentName(number), header)
    this.#segments.push({ number, bytes: segmentHeaderBytes, endSeq: 0 })
    if (before >= 0) await closeFile(before)
    await this.#announce(number)
    if (previous === undefined) await this.#options.remember('first', number)
    failpoint('wal.rotated')
  }

  /** Creates a segment, durably; none is left if that fails. */
  async #create(name: string, header: Uint8Array): Promise<number> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    const path = join(this.#options.dir, name)
    faultpoint('wal.create')
    const fd = await openFile(path, flags | (this.#isSyncedByWrites ? syncedByWrites : 0))
    try {
      faultpoint('wal.header')
      await writeAll(fd, [header], 0)
      await sync(fd)
      await syncFolder(this.#options.dir)
      return fd
    } catch (error) {
      await closeFile(fd)
      await removeFile(path)
      throw error
    }
  }

  /** The catalog knows of a segment before it has records: one that is missing later is noticed. */
  async #announce(number: number): Promise<void> {
    if (this.#announced === number) return
    await this.#options.remember('last', number)
    this.#announced = number
  }
}

function* nothing(): Steps<void> {}

/** Milliseconds in which records are applied without a pause. */
const applyTime = 10

/** In their order. A pause is one round of the event loop, not a turn behind all other paced work: writers wait for it. */
async function applyAll(group: readonly Waiting[]): Promise<void> {
  let since = performance.now()
  const isDue = () => performance.now() - since > applyTime
  const giveWay = async () => {
    await new Promise<void>(resolve => setImmediate(resolve))
    since = performance.now()
  }
  for (const waiting of group) {
    if (isDue()) await giveWay()
    try {
      for (const _ of waiting.apply()) if (isDue()) await giveWay()
      waiting.resolve()
    } catch (error) {
      waiting.reject(error)
    }
  }
}

/** Bytes checksummed without a pause, some milliseconds. Other work runs in between, but later records wait. */
const summedLength = 16 << 20

/** CRC-32 of a record's payload. */
async function checksum(buffers: readonly Uint8Array[]): Promise<number> {
  let sum = 0
  let since = 0
  for (const buffer of buffers)
    for (let from = 0; from < buffer.length; from += summedLength) {
      const piece = buffer.subarray(from, from + summedLength)
      if (since + piece.length > summedLength) {
        await new Promise<void>(resolve => setImmediate(resolve))
        since = 0
      }
      sum = crc32(piece, sum)
      since += piece.length
    }
  return sum
}

/** Payload length, rows, first sequence number, checksum of the payload, checksum of this header. */
function recordHeader(waiting: Waiting, sum: number): Uint8Array {
  const header = new DataView(new ArrayBuffer(recordHeaderBytes))
  header.setUint32(0, countBytes(waiting.buffers), true)
  header.setUint32(4, waiting.rows, true)
  header.setBigUint64(8, BigInt(waiting.seq), true)
  header.setUint32(16, sum, true)
  header.setUint32(20, crc32(new Uint8Array(header.buffer, 0, 20)), true)
  return new Uint8Array(header.buffer)
}

const writeVector = (fd: number, buffers: readonly Uint8Array[], position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    writev(fd, buffers, position, (error, written) => (error ? reject(error) : resolve(written)))
  })

async function writeAll(fd: number, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let rest = buffers
  let at = position
  while (rest.length > 0) {
    // `writev` accepts at most 1024 buffers.
    let written = await writeVector(fd, rest.slice(0, 1024), at)
    at += written
    let whole = 0
    while (whole < rest.length && written >= rest[whole]!.byteLength) written -= rest[whole++]!.byteLength
    rest = written > 0 ? [rest[whole]!.subarray(written), ...rest.slice(whole + 1)] : rest.slice(whole)
  }
}

/** Makes created and removed names in a folder durable. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await openHandle(dir)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function countBytes(buffers: readonly Uint8Array[]): number {
  return buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0)
}

function notWritten(cause: unknown): DbError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new DbError('StorageUnavailable', `the log cannot be written: ${text}`, { cause, retryAfter: 5 })
}
