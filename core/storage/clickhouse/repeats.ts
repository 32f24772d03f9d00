// Writes that ended without a success answer: a client that repeats one within ten minutes repeats its tokens, at whichever process, so that
// rows the cluster has already are left out.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import type { ColumnData } from '../../model/batch.ts'
import { elementsPerRow } from '../../model/types.ts'
import { every, pause, type Timer } from '../../timer.ts'
import type { SentColumn } from './arrow.ts'
import type { Connection } from './connection.ts'
import { databaseName, onCluster, type Place } from './definition.ts'
import { quoteName, quoteText } from './names.ts'

/** Rows of one table as one insert sends them, without what differs each time. */
export interface RepeatablePart {
  readonly target: string
  readonly op: 'put' | 'delete'
  readonly rows: number
  readonly columns: readonly SentColumn[]
}

/** One try of a request: a token for each of its parts. */
export interface Attempt {
  readonly tokens: readonly string[]
  /** Parts whose tokens are those of an earlier try. */
  readonly repeated: readonly string[]
}

interface Failed {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const keptFor = 600_000
/** Milliseconds between two looks at what failed in other processes: shorter than what clients are told to wait. */
const interval = 700
/** Milliseconds a look may take before the cluster counts as away. */
const longestLook = 5000
/** Milliseconds after the cluster was away in which other processes tell what failed. */
const settling = 2000
const maxKept = 100_000
/** Clocks of processes differ so much at most, in milliseconds. */
const skew = 30_000

export class Repeats {
  readonly #connection: Connection
  readonly #place: Place
  readonly #table: string
  /** By the hash of a part. */
  readonly #failed = new Map<string, Failed>()
  /** Hashes the cluster was not told of yet. */
  readonly #untold = new Set<string>()
  #lookedAt = 0
  #looking: Promise<void> | undefined
  /** The cluster was away: others may have failures they could not tell. */
  #isCutOff = false
  #recovering: Promise<void> | undefined
  #timer: Timer | undefined

  constructor(connection: Connection, place: Place) {
    this.#connection = connection
    this.#place = place
    this.#table = `${quoteName(databaseName(place, 'svc_private'))}.${quoteName('__repeats')}`
  }

  async open(): Promise<void> {
    const { cluster } = this.#place
    // Every server of a cluster has all of it, whatever its shard.
    const engine =
      cluster === ''
        ? 'ReplacingMergeTree(answered)'
        : "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/all', '{shard}-{replica}', answered)"
    await this.#connection.command(
      `CREATE TABLE IF NOT EXISTS ${this.#table}${onCluster(this.#place)} (part String, token String, at DateTime64(3, 'UTC'), answered UInt8) ENGINE = ${engine} ORDER BY (part, token) TTL toDateTime(at) + INTERVAL ${keptFor / 1000} SECOND COMMENT 'Writes that failed: what repeats them is not stored twice'`
    )
    await this.#exchange(AbortSignal.timeout(longestLook))
    this.#timer = every(interval, () => void this.#look().catch(() => {})).unref()
  }

  /** Tells what failed, as far as the cluster can be told. */
  async close(): Promise<void> {
    this.#timer?.stop()
    if (this.#untold.size > 0) await this.#look().catch(() => {})
  }

  /** Tokens for the parts of a request: those of the earlier try of the same parts that failed, else new ones. */
  async begin(parts: readonly RepeatablePart[]): Promise<Attempt> {
    if (this.#isCutOff) await this.#recover()
    const fresh = parts.map(() => randomUUID())
    if (this.#failed.size === 0) return { tokens: fresh, repeated: [] }
    const keys = keysOf(parts)
    const known = keys.filter(key => this.#failed.has(key))
    if (known.length === 0) return { tokens: fresh, repeated: [] }
    // Another process may have answered it meanwhile: who sends the same then means other rows.
    const tries = known.map(key => `(${quoteText(key)}, ${quoteText(this.#failed.get(key)!.token)})`)
    const answered = await this.#connection.rows(
      `SELECT part FROM ${this.#table} FINAL WHERE (part, token) IN (${tries.join(', ')}) AND answered = 1`
    )
    for (const { part } of answered) this.#forget(String(part))
    const tokens = keys.map((key, i) => this.#failed.get(key)?.token ?? fresh[i]!)
    return { tokens, repeated: keys.filter(key => this.#failed.has(key)) }
  }

  /** The try is not answered with success. */
  fail(parts: readonly RepeatablePart[], { tokens }: Attempt): void {
    const at = Date.now()
    for (const [i, key] of keysOf(parts).entries()) {
      if (this.#failed.get(key)?.token === tokens[i]) continue
      if (this.#failed.size >= maxKept) this.#forget(this.#failed.keys().next().value!)
      this.#failed.set(key, { token: tokens[i]!, at })
      this.#untold.add(key)
    }
    // What nobody answered here may have failed at others, too.
    if (this.#connection.trouble !== undefined) this.#isCutOff = true
    void this.#look().catch(() => {})
  }

  /** The try is answered with success: the same parts are other rows from now on. */
  async succeed({ repeated }: Attempt): Promise<void> {
    if (repeated.length === 0) return
    await this.#tell(repeated, 1)
    for (const key of repeated) this.#forget(key)
  }

  #forget(key: string): void {
    this.#failed.delete(key)
    this.#untold.delete(key)
  }

  /** Waits until others have told what failed while the cluster was away; throws while it is. */
  #recover(): Promise<void> {
    this.#recovering ??= this.#waitForOthers().finally(() => {
      this.#recovering = undefined
    })
    return this.#recovering
  }

  async #waitForOthers(): Promise<void> {
    await this.#look()
    await pause(settling)
    await this.#look()
    this.#isCutOff = false
  }

  /** Tells the cluster what failed here, and looks what failed elsewhere; one at a time. */
  async #look(): Promise<void> {
    await this.#looking?.catch(() => {})
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookOnce(): Promise<void> {
    try {
      await this.#exchange(AbortSignal.timeout(longestLook))
    } catch (error) {
      this.#isCutOff = true
      throw error
    }
  }

  async #exchange(signal: AbortSignal): Promise<void> {
    const now = Date.now()
    for (const [key, { at }] of this.#failed) if (at < now - keptFor) this.#forget(key)
    const untold = [...this.#untold]
    if (untold.length > 0) {
      await this.#tell(untold, 0, signal)
      for (const key of untold) this.#untold.delete(key)
    }
    const since = Math.max(this.#lookedAt - skew, now - keptFor)
    const rows = await this.#connection.rows(
      `SELECT part, token, toUnixTimestamp64Milli(at) AS at, answered FROM ${this.#table} FINAL WHERE at >= fromUnixTimestamp64Milli(toInt64(${since}))`,
      { signal }
    )
    for (const { part, token, at, answered } of rows) {
      const key = String(part)
      const own = this.#failed.get(key)
      if (Number(answered) === 1) {
        if (own?.token === token) this.#forget(key)
      } else if (own === undefined || Number(at) < own.at) {
        // Of several tries that failed at several processes the first is the one that may have come through: the others met a cluster that is away.
        this.#failed.set(key, { token: String(token), at: Number(at) })
      }
    }
    this.#lookedAt = now
  }

  async #tell(keys: readonly string[], answered: 0 | 1, signal?: AbortSignal): Promise<void> {
    const lines = keys.flatMap(part => {
      const failed = this.#failed.get(part)
      if (failed === undefined) return []
      const at = new Date(answered === 1 ? Date.now() : failed.at).toISOString().slice(0, -1)
      return [JSON.stringify({ part, token: failed.token, at, answered })]
    })
    if (lines.length === 0) return
    const settings = { async_insert: 0, ...(this.#place.cluster !== '' && { insert_quorum: 'auto' }) }
    await this.#connection.insert(`INSERT INTO ${this.#table} FORMAT JSONEachRow`, [Buffer.from(lines.join('\n'))], {
      settings,
      token: randomUUID(),
      ...(signal && { signal })
    })
  }
}

/** A hash of each part; equal ones of a request are numbered. */
function keysOf(parts: readonly RepeatablePart[]): string[] {
  const seen = new Map<string, number>()
  return parts.map(part => {
    const key = hashOf(part)
    const times = seen.get(key) ?? 0
    seen.set(key, times + 1)
    return times === 0 ? key : `${key}-${times}`
  })
}

function hashOf({ target, op, rows, columns }: RepeatablePart): string {
  const hash = createHash('sha256').update(`${target}\0${op}\0${rows}`)
  for (const { name, type, data } of columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`\0${name}\0${type}\0${data.kind}\0`)
    addData(hash, data, rows, data.kind === 'fixed' ? elementsPerRow(type) : 1)
  }
  return hash.digest('hex')
}

function addData(hash: Hash, data: ColumnData, rows: number, perRow: number): void {
  if (data.valid !== undefined) hash.update(data.valid.subarray(0, (rows + 7) >> 3))
  if (data.kind === 'fixed') hash.update(bytesOf(data.values.subarray(0, rows * perRow)))
  else if (data.kind === 'bytes') {
    hash.update(bytesOf(data.offsets.subarray(0, rows + 1)))
    hash.update(data.bytes.subarray(data.offsets[0], data.offsets[rows]))
  } else {
    hash.update(bytesOf(data.codes.subarray(0, rows)))
    addData(hash, data.dictionary, data.dictionary.offsets.length - 1, 1)
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
