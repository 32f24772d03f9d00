// Deduplicates repeated writes. If a write ended without success and the client repeats it within ten minutes, at any process, the repetition
// uses the same deduplication tokens, so that rows which the cluster already has are left out.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type ColumnData, type FixedData, isValid } from '../../model/batch.ts'
import { elementsPerRow } from '../../model/types.ts'
import { every, pause, type Timer } from '../../timer.ts'
import type { SentColumn } from './arrow.ts'
import type { Connection } from './connection.ts'
import { databaseName, type Location, onCluster } from './definition.ts'
import { quoteName, quoteText } from './names.ts'

/** The rows of one table in one insert, without parts that differ on each attempt. */
export interface RepeatablePart {
  readonly target: string
  readonly op: 'put' | 'delete'
  readonly rows: number
  readonly columns: readonly SentColumn[]
}

/** An attempt of a request, with a token per part. */
interface Attempt {
  readonly tokens: readonly string[]
  /** Earlier failed attempts, keyed by `keysOf` their parts. */
  readonly repeated: ReadonlyMap<string, Failed>
}

/** A token, and the outcome of attempts with it. */
interface Failed {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Increases with each end of an attempt: even after a failure, odd after success. */
  readonly state: number
}

const keptFor = 600_000
/** Milliseconds between polls for failures of other processes. */
const interval = 700
/** Maximum age of the last poll when a write begins, in milliseconds; less than the time clients are told to wait before a repetition. */
const maxAge = 900
/** Milliseconds after which a poll counts as failed, and which the answer of a failure may wait for one. */
const timeout = 5000
/** Milliseconds between attempts to record a failure. */
const pauseBetween = 100
/** Milliseconds that other processes get after an outage to record their failures. */
const recoveryPause = 2000
const maxKept = 100_000
/** Maximum clock difference between processes in milliseconds. */
const skew = 30_000

export class Repeats {
  readonly #connection: Connection
  readonly #location: Location
  readonly #table: string
  /** Keyed by `keysOf`. */
  readonly #failed = new Map<string, Failed>()
  /** Number of keys in `#failed` per fingerprint; hashes are only computed for parts with one of these. */
  readonly #fingerprints = new Map<string, number>()
  /** Keys that are not recorded in the cluster yet. */
  readonly #untold = new Set<string>()
  /** Tokens of running attempts: the same rows sent at the same time are different requests. */
  readonly #running = new Set<string>()
  /** Start of the last successful poll, in milliseconds since 1970. */
  #lookedAt = 0
  #looking: Promise<void> | undefined
  /** The cluster was unreachable, so other processes may have unrecorded failures. */
  #isCutOff = false
  #recovering: Promise<void> | undefined
  #timer: Timer | undefined

  constructor(connection: Connection, location: Location) {
    this.#connection = connection
    this.#location = location
    this.#table = `${quoteName(databaseName(location, 'svc_private'))}.${quoteName('__repeats')}`
  }

  async open(): Promise<void> {
    const { cluster } = this.#location
    // Replicated to every server of the cluster, whatever its shard.
    const engine =
      cluster === ''
        ? 'ReplacingMergeTree(state)'
        : "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}', state)"
    await this.#connection.command(
      `CREATE TABLE IF NOT EXISTS ${this.#table}${onCluster(this.#location)} (part String, token String, at DateTime64(3, 'UTC'), state UInt32) ENGINE = ${engine} ORDER BY (part, token) TTL toDateTime(at) + INTERVAL ${keptFor / 1000} SECOND COMMENT 'Writes that failed: what repeats them is not stored twice'`
    )
    await this.#look()
    this.#timer = every(interval, () => void this.#look().catch(() => {})).unref()
  }

  /** Records failures that are not recorded yet, if possible. */
  async close(): Promise<void> {
    this.#timer?.stop()
    if (this.#untold.size > 0) await this.#look().catch(() => {})
  }

  /** Tokens for the parts of a request: those of a failed attempt with the same parts, else new ones. */
  async begin(parts: readonly RepeatablePart[]): Promise<Attempt> {
    if (this.#isCutOff) await this.#recover()
    else await this.#lookSince(Date.now() - maxAge)
    const fresh = parts.map(() => randomUUID())
    const attempt = parts.some(part => this.#fingerprints.has(fingerprintOf(part)))
      ? await this.#repeat(keysOf(parts), fresh)
      : { tokens: fresh, repeated: new Map() }
    for (const token of attempt.tokens) this.#running.add(token)
    return attempt
  }

  /** Ends an attempt without success. Resolves when the failure was recorded, or could not be. */
  async fail(parts: readonly RepeatablePart[], attempt: Attempt): Promise<void> {
    const { tokens } = attempt
    const at = Date.now()
    const keys = keysOf(parts)
    for (const [i, key] of keys.entries()) {
      // Of equal concurrent requests the first one is kept.
      if (this.#failed.has(key)) continue
      this.#keep(key, { token: tokens[i]!, at, state: 0 })
      this.#untold.add(key)
    }
    // An unanswered request here suggests unanswered ones at other processes.
    if (this.#connection.trouble !== undefined) this.#isCutOff = true
    await this.#tellAll(keys)
    this.#end(attempt)
  }

  /**
   * Ends an attempt with success: the same parts are new rows from now on. Throws if that cannot be recorded; the attempt has failed then.
   */
  async succeed(attempt: Attempt): Promise<void> {
    const { repeated } = attempt
    if (repeated.size > 0) {
      try {
        await this.#tell(advanced(repeated, 1))
      } catch (error) {
        // Other processes may have read the record before.
        for (const [key, failed] of advanced(repeated, 2)) {
          this.#keep(key, failed)
          this.#untold.add(key)
        }
        await this.#tellAll([...repeated.keys()])
        this.#end(attempt)
        throw error
      }
      // An earlier token may have become known meanwhile.
      for (const [key, { token }] of repeated) if (this.#failed.get(key)?.token === token) this.#forget(key)
    }
    this.#end(attempt)
  }

  #end({ tokens }: Attempt): void {
    for (const token of tokens) this.#running.delete(token)
  }

  async #repeat(keys: readonly string[], fresh: readonly string[]): Promise<Attempt> {
    const known = keys.filter(key => this.#failed.has(key))
    if (known.length > 0) {
      // Another process may have answered a repetition meanwhile; then the same parts are new rows.
      const tries = known.map(key => `(${quoteText(key)}, ${quoteText(this.#failed.get(key)!.token)})`)
      const told = await this.#connection.rows(
        `SELECT part, token, state FROM ${this.#table} FINAL WHERE (part, token) IN (${tries.join(', ')}) AND state % 2 = 1`
      )
      for (const { part, token, state } of told) this.#forgetAnswered(String(part), String(token), Number(state))
    }
    const repeated = new Map<string, Failed>()
    for (const key of keys) {
      const failed = this.#failed.get(key)
      if (failed !== undefined && !this.#running.has(failed.token)) repeated.set(key, failed)
    }
    return { tokens: keys.map((key, i) => repeated.get(key)?.token ?? fresh[i]!), repeated }
  }

  #keep(key: string, failed: Failed): void {
    if (!this.#failed.has(key)) {
      if (this.#failed.size >= maxKept) this.#forget(this.#failed.keys().next().value!)
      const fingerprint = fingerprintOfKey(key)
      this.#fingerprints.set(fingerprint, (this.#fingerprints.get(fingerprint) ?? 0) + 1)
    }
    this.#failed.set(key, failed)
  }

  #forget(key: string): void {
    this.#untold.delete(key)
    if (!this.#failed.delete(key)) return
    const fingerprint = fingerprintOfKey(key)
    const count = this.#fingerprints.get(fingerprint)! - 1
    if (count > 0) this.#fingerprints.set(fingerprint, count)
    else this.#fingerprints.delete(fingerprint)
  }

  #forgetAnswered(key: string, token: string, state: number): void {
    const own = this.#failed.get(key)
    if (own?.token === token && state > own.state) this.#forget(key)
  }

  /** Waits after an outage until other processes have recorded their failures; throws while the outage lasts. */
  #recover(): Promise<void> {
    this.#recovering ??= this.#waitForOthers().finally(() => {
      this.#recovering = undefined
    })
    return this.#recovering
  }

  async #waitForOthers(): Promise<void> {
    await this.#lookSince(Date.now())
    await pause(recoveryPause)
    await this.#lookSince(Date.now())
    this.#isCutOff = false
  }

  async #tellAll(keys: readonly string[]): Promise<void> {
    const until = Date.now() + timeout
    while (keys.some(key => this.#untold.has(key))) {
      try {
        await this.#look()
      } catch {
        if (Date.now() > until) return
        await pause(pauseBetween)
      }
    }
  }

  async #lookSince(time: number): Promise<void> {
    while (this.#lookedAt < time) await this.#look()
  }

  /** Records failures of this process and reads those of others. Polls do not overlap; the result may be of one that began earlier. */
  #look(): Promise<void> {
    this.#looking ??= this.#exchange(AbortSignal.timeout(timeout))
      .catch(error => {
        this.#isCutOff = true
        throw error
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #exchange(signal: AbortSignal): Promise<void> {
    const now = Date.now()
    for (const [key, { at }] of this.#failed) if (at < now - keptFor) this.#forget(key)
    if (this.#untold.size > 0) {
      const told = new Map(Array.from(this.#untold, key => [key, this.#failed.get(key)!]))
      await this.#tell(told, signal)
      // Changes made meanwhile are recorded by the next poll.
      for (const [key, failed] of told) if (this.#failed.get(key) === failed) this.#untold.delete(key)
    }
    const since = Math.max(this.#lookedAt - skew, now - keptFor)
    const rows = await this.#connection.rows(
      `SELECT part, token, toUnixTimestamp64Milli(at) AS at, state FROM ${this.#table} FINAL WHERE at >= fromUnixTimestamp64Milli(toInt64(${since}))`,
      { signal }
    )
    for (const { part, token, at, state } of rows) {
      this.#learn(String(part), { token: String(token), at: Number(at), state: Number(state) })
    }
    this.#lookedAt = now
  }

  #learn(key: string, told: Failed): void {
    const own = this.#failed.get(key)
    if (told.state % 2 === 1) this.#forgetAnswered(key, told.token, told.state)
    else if (own?.token === told.token) {
      if (told.state > own.state) this.#keep(key, told)
      // Of several failed attempts at different processes, the first may have succeeded; the later ones met an unreachable cluster.
    } else if (own === undefined || told.at < own.at) this.#keep(key, told)
  }

  async #tell(all: ReadonlyMap<string, Failed>, signal?: AbortSignal): Promise<void> {
    const lines = Array.from(all, ([part, { token, at, state }]) => {
      // With the current time, so that polls for new records see each change.
      const changed = new Date(state === 0 ? at : Date.now()).toISOString().slice(0, -1)
      return JSON.stringify({ part, token, at: changed, state })
    })
    const settings = { async_insert: 0, ...(this.#location.cluster !== '' && { insert_quorum: 'auto' }) }
    await this.#connection.insert(`INSERT INTO ${this.#table} FORMAT JSONEachRow`, [Buffer.from(lines.join('\n'))], {
      settings,
      token: randomUUID(),
      ...(signal && { signal })
    })
  }
}

function advanced(all: ReadonlyMap<string, Failed>, by: number): ReadonlyMap<string, Failed> {
  return new Map(Array.from(all, ([key, failed]) => [key, { ...failed, state: failed.state + by }]))
}

/** A cheap value that differs for most parts, without reading their values. */
function fingerprintOf({ target, op, rows }: RepeatablePart): string {
  return `${op} ${rows} ${target}`
}

function fingerprintOfKey(key: string): string {
  return key.slice(0, key.lastIndexOf(' '))
}

/** For each part, its fingerprint and a hash of its values; equal parts of a request are numbered. */
export function keysOf(parts: readonly RepeatablePart[]): string[] {
  const seen = new Map<string, number>()
  return parts.map(part => {
    const key = `${fingerprintOf(part)} ${hashOf(part)}`
    const times = seen.get(key) ?? 0
    seen.set(key, times + 1)
    return times === 0 ? key : `${key}-${times}`
  })
}

/** A hash of the values, independent of their representation; columns that are all null count as absent. */
function hashOf({ rows, columns }: RepeatablePart): string {
  const hash = createHash('sha256')
  for (const { name, type, data } of columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const valid = validOf(data, rows)
    if (!valid.some(Boolean)) continue
    hash.update(`\0${name}\0${type}\0`).update(valid)
    if (data.kind === 'fixed') hash.update(fixedOf(data.values, valid, elementsPerRow(type)))
    else addTexts(hash, data, valid)
  }
  return hash.digest('hex')
}

/** One byte per row: 1 if it has a value. */
function validOf({ valid }: ColumnData, rows: number): Uint8Array {
  const all = new Uint8Array(rows).fill(1)
  if (valid !== undefined) for (let i = 0; i < rows; i++) all[i] = isValid(valid, i) ? 1 : 0
  return all
}

/** The bytes of values that are not null. */
function fixedOf(values: FixedData['values'], valid: Uint8Array, perRow: number): Uint8Array {
  const width = values.BYTES_PER_ELEMENT * perRow
  const bytes = new Uint8Array(values.buffer, values.byteOffset, valid.length * width).slice()
  for (let i = 0; i < valid.length; i++) if (valid[i] === 0) bytes.fill(0, i * width, (i + 1) * width)
  return bytes
}

/** Adds the lengths of all texts, then their bytes, without nulls. */
function addTexts(hash: Hash, data: Exclude<ColumnData, { kind: 'fixed' }>, valid: Uint8Array): void {
  const { offsets, bytes } = data.kind === 'bytes' ? data : data.dictionary
  const at = (row: number) => (data.kind === 'bytes' ? row : data.codes[row]!)
  const lengths = new Uint32Array(valid.length)
  let total = 0
  for (let i = 0; i < valid.length; i++) {
    if (valid[i] === 0) continue
    lengths[i] = offsets[at(i) + 1]! - offsets[at(i)]!
    total += lengths[i]!
  }
  const texts = new Uint8Array(total)
  let end = 0
  for (let i = 0; i < valid.length; i++) {
    if (valid[i] === 0) continue
    const from = offsets[at(i)]!
    texts.set(bytes.subarray(from, from + lengths[i]!), end)
    end += lengths[i]!
  }
  hash.update(new Uint8Array(lengths.buffer)).update(texts)
}
