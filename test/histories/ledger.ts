// Records the requests that clients began and their answers, in a file, so that the record survives a kill.
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Change, ModelTable, Span, TableKind, Version, WriteRow } from './model.ts'

type Line =
  | { readonly what: 'table'; readonly name: string; readonly kind: TableKind }
  | { readonly what: 'write'; readonly id: number; readonly at: number; readonly rows: readonly WriteRow[] }
  | { readonly what: 'change'; readonly id: number; readonly at: number; readonly change: Change }
  | { readonly what: 'end'; readonly id: number; readonly at: number; readonly ok: boolean }
  | { readonly what: 'crash'; readonly at: number }
  /** What a crash left open is known now; `done` undefined: it never will be. */
  | { readonly what: 'settled'; readonly id: number; readonly done?: boolean }
  /** The tables so far are not looked at any more. */
  | { readonly what: 'epoch' }

/** A write or a change that has begun. */
interface Open {
  readonly begin: number
  readonly spans: readonly Span[]
  readonly rows: readonly WriteRow[]
  readonly undo: () => void
}

export class Ledger {
  readonly tables = new Map<string, ModelTable>()
  /** How many sets of tables there were. */
  epoch = 0
  /** Writes and changes whose outcome is unknown since a crash. */
  readonly unsettled = new Map<number, Open>()
  readonly #open = new Map<number, Open>()
  #fd: number
  #clock = 0
  #nextId = 1

  /** Goes on with what is in the file. */
  constructor(path: string) {
    if (existsSync(path)) {
      for (const line of readFileSync(path, 'utf8').split('\n')) if (line.endsWith('}')) this.#apply(JSON.parse(line))
    }
    this.#fd = openSync(path, 'a')
    if (this.#open.size > 0) this.#add({ what: 'crash', at: this.#tick() })
  }

  get clock(): number {
    return this.#clock
  }

  table(name: string, kind: TableKind): ModelTable {
    if (!this.tables.has(name)) this.#add({ what: 'table', name, kind })
    return this.tables.get(name)!
  }

  /** The number of the write, which its rows need. */
  nextId(): number {
    return this.#nextId++
  }

  /** Writes down that rows are on their way; `work` throws where they are refused. */
  async write(id: number, rows: readonly WriteRow[], work: () => Promise<unknown>): Promise<void> {
    this.#add({ what: 'write', id, at: this.#tick(), rows })
    await this.#finish(id, work)
  }

  async change(change: Change, work: () => Promise<unknown>): Promise<void> {
    const id = this.nextId()
    this.#add({ what: 'change', id, at: this.#tick(), change })
    await this.#finish(id, work)
  }

  settle(id: number, done: boolean | undefined): void {
    this.#add({ what: 'settled', id, ...(done !== undefined && { done }) })
  }

  startEpoch(): void {
    this.#add({ what: 'epoch' })
  }

  close(): void {
    closeSync(this.#fd)
  }

  async #finish(id: number, work: () => Promise<unknown>): Promise<void> {
    let ok = false
    try {
      await work()
      ok = true
    } finally {
      this.#add({ what: 'end', id, at: this.#tick(), ok })
    }
  }

  #tick(): number {
    return this.#clock + 1
  }

  #add(line: Line): void {
    writeSync(this.#fd, `${JSON.stringify(line)}\n`)
    this.#apply(line)
  }

  #apply(line: Line): void {
    if ('at' in line) this.#clock = Math.max(this.#clock, line.at)
    if ('id' in line) this.#nextId = Math.max(this.#nextId, line.id + 1)
    switch (line.what) {
      case 'table':
        this.tables.set(line.name, {
          name: line.name,
          kind: line.kind,
          rows: new Map(),
          changes: [],
          ignored: new Set()
        })
        return
      case 'write':
        this.#open.set(line.id, this.#openWrite(line.id, line.at, line.rows))
        return
      case 'change':
        this.#open.set(line.id, this.#openChange(line.id, line.at, line.change))
        return
      case 'end': {
        const open = this.#open.get(line.id)!
        this.#open.delete(line.id)
        if (!line.ok) open.undo()
        else for (const span of open.spans) span.end = line.at
        return
      }
      case 'crash':
        for (const [id, open] of this.#open) {
          for (const span of open.spans) Object.assign(span, { end: line.at, unknown: true })
          this.unsettled.set(id, open)
        }
        this.#open.clear()
        return
      case 'settled':
        this.#settle(line.id, line.done)
        return
      case 'epoch':
        this.tables.clear()
        this.unsettled.clear()
        this.epoch++
    }
  }

  #settle(id: number, done: boolean | undefined): void {
    const open = this.unsettled.get(id)
    if (open === undefined) return
    this.unsettled.delete(id)
    if (done === false) open.undo()
    if (done === true) for (const span of open.spans) span.unknown = false
    if (done === undefined) for (const { table, key } of open.rows) this.tables.get(table)!.ignored.add(key)
  }

  #openWrite(id: number, begin: number, rows: readonly WriteRow[]): Open {
    const added = rows.map(({ table, key, op, columns }) => {
      const { rows } = this.tables.get(table)!
      const versions = rows.get(key) ?? []
      const version: Version = { id, begin, op, columns: new Set(columns) }
      versions.push(version)
      rows.set(key, versions)
      const undo = () => {
        versions.splice(versions.indexOf(version), 1)
        if (versions.length === 0) rows.delete(key)
      }
      return { version, undo }
    })
    const undo = () => {
      for (const each of added) each.undo()
    }
    return { begin, rows, spans: added.map(({ version }) => version), undo }
  }

  #openChange(id: number, begin: number, change: Change): Open {
    const { changes } = this.tables.get(change.table)!
    const span = { ...change, id, begin }
    changes.push(span)
    const undo = () => void changes.splice(changes.indexOf(span), 1)
    return { begin, rows: [], spans: [span], undo }
  }
}
