// A simple model of a table: all versions of all rows in a list, without optimisations.
import type { TableOptions } from '../../../core/model/table.ts'
import type { ColumnType } from '../../../core/model/types.ts'
import { type Cell, type Row, wanted } from '../../contract/engine/rows.ts'
import { converted } from './converted.ts'

export interface ModelColumn {
  readonly name: string
  readonly kind: 'tag' | 'field' | 'time'
  readonly type: ColumnType
  /** What rows hold that say nothing of the column, not even null. */
  readonly initial?: Cell
  /** Unique for ever: a column dropped and added again is another one. */
  readonly id: number
}

interface Version {
  readonly op: 'put' | 'delete'
  /** Without those of columns it leaves out. */
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
    for (const column of columns) this.addColumn(column)
  }

  addColumn(column: Omit<ModelColumn, 'id'>): void {
    this.columns = [...this.columns, { ...column, id: this.#nextId++ }]
  }

  /** Its values become values of another type, and so does what rows without one hold. */
  retype(name: string, type: ColumnType): void {
    const before = this.columns.find(column => column.name === name)!
    const change = (cell: Cell) => converted(cell, before.type, type)
    const { initial } = before
    const after = { ...before, type, ...(initial !== undefined && { initial: change(initial) }) }
    this.columns = this.columns.map(column => (column === before ? after : column))
    this.#versions = this.#versions.map(version => {
      const cell = version.cells.get(before.id)
      return cell === undefined ? version : { ...version, cells: new Map(version.cells).set(before.id, change(cell)) }
    })
  }

  dropColumn(name: string): void {
    this.columns = this.columns.filter(column => column.name !== name)
  }

  add(rows: readonly Row[], op: 'put' | 'delete'): void {
    for (const row of rows) {
      const given = this.columns.filter(({ name }) => row[name] !== undefined)
      const cells = new Map(given.map(({ id, name }) => [id, row[name]!]))
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

  /** The rows a query should give, as `linesOf` prints them; of these columns, as `linesOfColumns` does. */
  lines(shown: readonly ModelColumn[] = this.columns): string {
    const rows = this.options.append_mode ? this.#versions.map(({ cells }) => cells) : this.#merged()
    const time = this.columns.find(({ kind }) => kind === 'time')!
    const live = rows.filter(cells => this.#oldest === undefined || (cells.get(time.id) as bigint) >= this.#oldest)
    const fieldwise = this.options.merge_mode === 'last_non_null' && !this.options.append_mode
    return wanted(
      ...live.map(cells =>
        shown.map(({ id, initial = null }) => {
          const cell = cells.get(id)
          // Where fields are merged, null is not a value.
          return cell === undefined || (cell === null && fieldwise) ? initial : cell
        })
      )
    )
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
