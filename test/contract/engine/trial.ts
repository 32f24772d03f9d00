// Runs one contract case on an engine with a folder of its own, which the case may close, reopen or crash.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnDefinition, Table, TableOptions } from '../../../core/model/table.ts'
import type { Engine } from '../../../core/storage/engine.ts'
import { never } from './rows.ts'

/** The part of a test framework the kit uses; the `t` of tap has it. */
export interface EngineTest {
  test(name: string, options: { readonly skip?: string }, run: (t: EngineTest) => Promise<void>): unknown
  ok(value: unknown, message: string): unknown
  equal(found: unknown, wanted: unknown, message: string): unknown
}

export interface EngineContract {
  /**
   * An open engine over this folder, which is empty the first time and holds what the engine left the next. A driver that keeps its data
   * elsewhere takes the folder's name for the place. Nothing but `maintain` may write rows to files while a test runs: leave every
   * threshold high.
   */
  open(folder: string): Promise<Engine>
  /** The first and the last date the driver keeps, in days since 1970, where they are not those of the type; others it refuses. */
  readonly dates?: readonly [number, number]
  /**
   * In the driver's dialect: whether 1970-01-02 09:00, a time without a zone, is 1970-01-02 00:00 of UTC. Absent: the SQL standard's
   * `TIMESTAMP WITH TIME ZONE` says so.
   */
  readonly nineIsMidnight?: string
  /** In the driver's dialect: the column `n` as a number of eight bits, an error where it does not fit. Absent: a cast to `TINYINT`. */
  readonly narrow?: string
}

/** What a case needs of a driver; drivers without it skip the case. */
export type Need = 'sql' | 'durable' | 'folder' | 'buffer'

export interface Case {
  readonly name: string
  readonly needs?: Need
  run(t: EngineTest, trial: Trial): Promise<void>
}

export class Trial {
  readonly #contract: EngineContract
  readonly #folders: string[] = []
  readonly #engines: Engine[] = []

  constructor(contract: EngineContract) {
    this.#contract = contract
  }

  /** What the driver says of itself. */
  get contract(): EngineContract {
    return this.#contract
  }

  /** The engine that was opened last. */
  get engine(): Engine {
    return this.#engines.at(-1)!
  }

  get folder(): string {
    return this.#folders.at(-1)!
  }

  async start(): Promise<Engine> {
    this.#folders.push(mkdtempSync(join(tmpdir(), 'weir-engine-')))
    return this.open()
  }

  /** Another engine over the same folder. */
  async open(): Promise<Engine> {
    const engine = await this.#contract.open(this.folder)
    this.#engines.push(engine)
    return engine
  }

  /** Closes the engine and opens it again. */
  async reopen(): Promise<Engine> {
    await this.engine.close()
    return this.open()
  }

  /** An engine over what a crash at this moment would leave; the old one goes on. */
  async crash(): Promise<Engine> {
    const copy = mkdtempSync(join(tmpdir(), 'weir-engine-'))
    cpSync(this.folder, copy, { recursive: true })
    this.#folders.push(copy)
    return this.open()
  }

  async flush(table?: Table): Promise<void> {
    await this.engine.maintain({ kind: 'flush', ...(table && { table }) }, never)
  }

  async end(): Promise<void> {
    for (const engine of this.#engines) await engine.close()
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true })
  }
}

/** Columns in short: `tag host String`, `field n Int64`, `time at TimestampMillisecond`. */
export function columns(...words: readonly string[]): ColumnDefinition[] {
  return words.map(word => {
    const [kind, name, ...type] = word.split(' ')
    const semantic = kind === 'time' ? 'timestamp' : (kind as 'tag' | 'field')
    return { name: name!, type: type.join(' ') as ColumnDefinition['type'], semantic, nullable: kind !== 'time' }
  })
}

/** A table `name(host tag, at time in milliseconds, n Int64, note String)`. */
export function createVisits(engine: Engine, name: string, options: TableOptions = {}): Promise<Table> {
  return engine.catalog.createTable({
    database: 'public',
    name,
    columns: columns('tag host String', 'time at TimestampMillisecond', 'field n Int64', 'field note String'),
    options
  })
}

/** The message of the error a call fails with; undefined when it does not. */
export async function failure(work: () => Promise<unknown>): Promise<{ code?: string; message: string } | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error as { code?: string; message: string }
  }
}
