// Writes that ended without a success answer: a client that repeats one within ten minutes repeats its tokens, at whichever process, so that
// rows the cluster has already are left out.
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type ColumnData, type FixedData, isValid } from '../../model/batch.ts'
import { elementsPerRow } from '../../model/types.ts'
import { every, pause, type Timer } from '../../timer.ts'
import type { SentColumn } from './arrow.ts'
import type { Connection } from './connection.ts'
import { databaseName, type Location, onCluster } from './definition.ts'
import { quoteName, quoteText } from './names.ts'

/** Rows of one table as one insert sends them, without what differs each time. */
export interface RepeatablePart {
  readonly target: string
  readonly op: 'put' | 'delete'
  readonly rows: number
  readonly columns: readonly SentColumn[]
}

/** One try of a request: a token for each of its parts. */
interface Attempt {
  readonly tokens: readonly string[]
  /** Those of an earlier try, by `keysOf` their parts. */
  readonly repeated: ReadonlyMap<string, Failed>
}

/** A token and what is known of the tries with it. */
interface Failed {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Rises with each end of a try with this token: even after a failure, odd after an answer. */
  readonly state: number
}

const keptFor = 600_000
/** Milliseconds between two looks at what failed in other processes. */
const interval = 700
/** Milliseconds a look may be old when a write begins: shorter than what clients are told to wait before they repeat one. */
const maxAge = 900
/** Milliseconds a look may take before the cluster counts as away, and an answer of failure may wait for one. */
const timeout = 5000
/** Milliseconds between two tries to tell of a failure. */
const pauseBetween = 100
/** Milliseconds after the cluster was away in which other processes tell what failed. */
const settling = 2000
const maxKept = 100_000
/** Clocks of processes differ so much at most, in milliseconds. */
const skew = 30_000

export class Repeats {
  readonly #connection: Connection
  readonly #location: Location
  readonly #table: string
  /** By `keysOf`. */
  readonly #failed = new Map<string, Failed>()
  /** How many keys of `#failed` have a fingerprint: hashes are made only of parts that have one of these. */
  readonly #fingerprints = new Map<string, number>()
  /** Keys the cluster was not told of yet. */
  readonly #untold = new Set<string>()
  /** Tokens of tries that have not ended: who sends the same at the same time means other rows. */
  readonly #running = new Set<string>()
  /** When the last look that ended well began, in milliseconds since 1970. */
  #lookedAt = 0
  #looking: Promise<void> | undefined
  /** The cluster was away: others may have failures they could not tell. */
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
    // Every server of a cluster has all of it, whatever its shard.
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

  /** Tells what failed, as far as the cluster can be told. */
  async close(): Promise<void> {
    this.#timer?.stop()
    if (this.#untold.size > 0) await this.#look().catch(() => {})
  }

  /** Tokens for the parts of a request: those of the earlier try of the same parts that failed, else new ones. */
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

  /** The try is not answered with success. Resolves when others were told, or could not be. */
  async fail(parts: readonly RepeatablePart[], attempt: Attempt): Promise<void> {
    const { tokens } = attempt
    const at = Date.now()
    const keys = keysOf(parts)
    for (const [i, key] of keys.entries()) {
      // Of equal requests that ran at the same time the first is kept.
      if (this.#failed.has(key)) continue
      this.#keep(key, { token: tokens[i]!, at, state: 0 })
      this.#untold.add(key)
    }
    // What nobody answered here may have failed at others, too.
    if (this.#connection.trouble !== undefined) this.#isCutOff = true
    await this.#tellAll(keys)
    this.#end(attempt)
  }

  /** The try is answered with success: the same parts are other rows from now on. Throws where others cannot be told; the try failed then. */
  async succeed(attempt: Attempt): Promise<void> {
    const { repeated } = attempt
    if (repeated.size > 0) {
      try {
        await this.#tell(advanced(repeated, 1))
      } catch (error) {
        // Others may have read it or not.
        for (const [key, failed] of advanced(repeated, 2)) {
          this.#keep(key, failed)
          this.#untold.add(key)
        }
        await this.#tellAll([...repeated.keys()])
        this.#end(attempt)
        throw error
      }
      // Meanwhile an earlier token may have become known.
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
      // Another process may have answered it meanwhile: who sends the same then means other rows.
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

  /** Waits until others have told what failed while the cluster was away; throws while it is. */
  #recover(): Promise<void> {
    this.#recovering ??= this.#waitForOthers().finally(() => {
      this.#recovering = undefined
    })
    return this.#recovering
  }

  async #waitForOthers(): Promise<void> {
    await this.#lookSince(Date.now())
    await pause(settling)
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

  /** Tells the cluster what failed here, and looks what failed elsewhere; one look at a time, which may have begun before. */
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
      // What changed meanwhile is told by the next look.
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
      // Of several tries that failed at several processes the first is the one that may have come through: the others met a cluster that is away.
    } else if (own === undefined || told.at < own.at) this.#keep(key, told)
  }

  async #tell(all: ReadonlyMap<string, Failed>, signal?: AbortSignal): Promise<void> {
    const lines = Array.from(all, ([part, { token, at, state }]) => {
      // Who looks for what is new sees each change.
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

/** What tells parts apart without reading their values. */
function fingerprintOf({ target, op, rows }: RepeatablePart): string {
  return `${op} ${rows} ${target}`
}

function fingerprintOfKey(key: string): string {
  return key.slice(0, key.lastIndexOf(' '))
}

/** Of each part its fingerprint and a hash of its values; equal ones of a request are numbered. */
export function keysOf(parts: readonly RepeatablePart[]): string[] {
  const seen = new Map<string, number>()
  return parts.map(part => {
    const key = `${fingerprintOf(part)} ${hashOf(part)}`
    const times = seen.get(key) ?? 0
    seen.set(key, times + 1)
    return times === 0 ? key : `${key}-${times}`
  })
}

/** Of the values, in whatever form they came: columns of nulls alone count as absent. */
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

/** One byte a row: 1 where it has a value. */
function validOf({ valid }: ColumnData, rows: number): Uint8Array {
  const all = new Uint8Array(rows).fill(1)
  if (valid !== undefined) for (let i = 0; i < rows; i++) all[i] = isValid(valid, i) ? 1 : 0
  return all
}

/** The bytes of the values that are there. */
function fixedOf(values: FixedData['values'], valid: Uint8Array, perRow: number): Uint8Array {
  const width = values.BYTES_PER_ELEMENT * perRow
  const bytes = new Uint8Array(values.buffer, values.byteOffset, valid.length * width).slice()
  for (let i = 0; i < valid.length; i++) if (valid[i] === 0) bytes.fill(0, i * width, (i + 1) * width)
  return bytes
}

/** The lengths of all texts, then their bytes; rows without a value have neither. */
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
