// What a table should answer, computed the plain way: every version of every row in a list, and no cleverness.
import type { TableOptions } from '../../../core/model/table.ts'
import { type Cell, type Row, wanted } from '../../contract/engine/rows.ts'

export interface ModelColumn {
  readonly name: string
  readonly kind: 'tag' | 'field' | 'time'
  /** Unique for ever: a column dropped and added again is another one. */
  readonly id: number
}

interface Version {
  readonly op: 'put' | 'delete'
  readonly cells: ReadonlyMap<number, Cell>
  /** Survives a crash. */
  durable: boolean
}

export class TableModel {
  options: TableOptions
  columns: readonly ModelColumn[] = []
  #versions: Version[] = []
  #nextId = 0
  #oldest: bigint | undefined

  constructor(options: TableOptions, columns: readonly Omit<ModelColumn, 'id'>[]) {
    this.options = options
    for (const { name, kind } of columns) this.addColumn(name, kind)
  }

  addColumn(name: string, kind: ModelColumn['kind']): void {
    this.columns = [...this.columns, { name, kind, id: this.#nextId++ }]
  }

  dropColumn(name: string): void {
    this.columns = this.columns.filter(column => column.name !== name)
  }

  add(rows: readonly Row[], op: 'put' | 'delete'): void {
    for (const row of rows) {
      const cells = new Map(this.columns.map(({ id, name }) => [id, row[name] ?? null]))
      this.#versions.push({ op, cells, durable: this.options.skip_wal !== true })
    }
  }

  truncate(): void {
    this.#versions = []
  }

  /** From now on every row is kept; those that show are the rows there are. */
  keepAll(): void {
    this.#versions = this.#merged().map(cells => ({ op: 'put', cells, durable: true }))
    this.options = { ...this.options, append_mode: true }
  }

  /** A table like this one without a row. */
  emptied(): TableModel {
    const copy = new TableModel(this.options, [])
    copy.columns = this.columns
    copy.#oldest = this.#oldest
    return copy
  }

  /** Rows before `oldest` are past their time to live; false when others were already. */
  expireBefore(oldest: bigint): boolean {
    if (this.#oldest !== undefined && oldest <= this.#oldest) return false
    this.#oldest = oldest
    return true
  }

  flush(): void {
    for (const version of this.#versions) version.durable = true
  }

  crash(): void {
    this.#versions = this.#versions.filter(version => version.durable)
  }

  /** The rows a query should give, as `linesOf` prints them. */
  lines(): string {
    const rows = this.options.append_mode ? this.#versions.map(({ cells }) => cells) : this.#merged()
    const time = this.columns.find(({ kind }) => kind === 'time')!
    const live = rows.filter(cells => this.#oldest === undefined || (cells.get(time.id) as bigint) >= this.#oldest)
    return wanted(...live.map(cells => this.columns.map(({ id }) => cells.get(id) ?? null)))
  }

  #merged(): ReadonlyMap<number, Cell>[] {
    const fieldwise = this.options.merge_mode === 'last_non_null'
    const rows = new Map<string, ReadonlyMap<number, Cell>>()
    for (const { op, cells } of this.#versions) {
      const key = this.#key(cells)
      const before = rows.get(key)
      if (op === 'delete') rows.delete(key)
      else rows.set(key, fieldwise && before !== undefined ? overlay(before, cells) : cells)
    }
    return [...rows.values()]
  }

  #key(cells: ReadonlyMap<number, Cell>): string {
    const parts = this.columns.filter(({ kind }) => kind !== 'field').map(({ id }) => cells.get(id) ?? null)
    return wanted(parts)
  }
}

/** The newer row where it has a value, else the older. */
function overlay(older: ReadonlyMap<number, Cell>, newer: ReadonlyMap<number, Cell>): ReadonlyMap<number, Cell> {
  const given = [...newer].filter(([, cell]) => cell !== null)
  return new Map([...older, ...given])
}
