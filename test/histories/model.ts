// What tables may hold after clients have worked on them side by side. Every operation lasts from one tick of a clock to another; the order
// of two that overlap is unknown, so a row or a cell may have several possible states. Each key has one writer, which waits for each answer:
// the versions of a row are ordered.

export interface Span {
  readonly id: number
  readonly begin: number
  /** Undefined while it is under way. */
  end?: number
  /** Nobody knows whether it happened: it was under way at a crash. */
  unknown?: boolean
}

/** A row as one write left it. */
export interface Version extends Span {
  readonly op: 'put' | 'delete'
  /** Columns with a value; those left out are null. */
  readonly columns: ReadonlySet<string>
}

export interface WriteRow {
  readonly table: string
  readonly key: string
  readonly op: 'put' | 'delete'
  readonly columns: readonly string[]
}

/** A change of a table as far as it matters to what is read. */
export interface Change {
  readonly kind: 'drop_column' | 'truncate' | 'add_default' | 'modify'
  readonly table: string
  readonly column: string
}

export type TableKind = 'last_row' | 'last_non_null' | 'append' | 'logical' | 'series'

export interface ModelTable {
  readonly name: string
  readonly kind: TableKind
  readonly rows: Map<string, Version[]>
  readonly changes: (Change & Span)[]
  /** Keys whose state is unknown since a crash. */
  readonly ignored: Set<string>
}

/** A row as it was read: the text of each cell that is not null, by column. */
export type FoundRow = ReadonlyMap<string, string>

/** What was read between two ticks. */
export interface Found {
  readonly begin: number
  /** By key. */
  readonly rows: ReadonlyMap<string, FoundRow>
  /** Columns that were read; undefined: all. */
  readonly only?: readonly string[]
  /** Which keys were asked for; undefined: all. */
  readonly asked?: (key: string) => boolean
}

/** What a column holds in rows that leave it out once it was added with a default. */
export const defaultText = '7'

/** The text of a cell: told by the write, the key and the column. */
export function cellText(id: number, key: string, column: string): string {
  if (column === idColumn) return String(id)
  const number = id * 1_000_000 + (hashText(key) % 1_000) * 1_000 + Number(column.slice(1))
  if (column.startsWith('f')) return String(number + 0.5)
  if (column.startsWith('b')) return String(number % 3 === 0)
  return column.startsWith('s') ? `text ${number} ${'é'.repeat(number % 4)}` : String(number)
}

/** Every row holds the number of its write there; never dropped. */
export const idColumn = 'w'

function hashText(text: string): number {
  let hash = 7
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0
  return hash
}

/** The first thing that cannot be, in words; undefined when everything can. */
export function problemOf(table: ModelTable, found: Found): string | undefined {
  const where = (key: string) => `table ${table.name}, row ${key}`
  for (const key of found.rows.keys()) {
    if (!table.rows.has(key) && !table.ignored.has(key)) return `${where(key)}: nobody wrote it`
  }
  for (const [key, versions] of table.rows) {
    if (table.ignored.has(key) || found.asked?.(key) === false) continue
    const row = found.rows.get(key)
    const states = statesOf(table, versions, found.begin)
    if (row === undefined) {
      if (!states.some(state => state.length === 0)) return `${where(key)}: missing, written by ${idsOf(versions)}`
      continue
    }
    const problems = states.map(state =>
      state.length === 0 ? 'it must not be there' : wrongCell(table, key, state, row, found)
    )
    if (!problems.includes(undefined))
      return `${where(key)}: ${[...new Set(problems)].join(', or ')}; versions ${idsOf(versions)}`
  }
  return undefined
}

/** How many rows there may be. */
export function countBounds(table: ModelTable, begin: number): { readonly least: number; readonly most: number } {
  let [least, most] = [0, 0]
  for (const [key, versions] of table.rows) {
    const states = statesOf(table, versions, begin)
    const isIgnored = table.ignored.has(key)
    if (!isIgnored && states.every(state => state.length > 0)) least++
    if (isIgnored || states.some(state => state.length > 0)) most++
  }
  return { least, most }
}

/** Versions that make up the row, oldest first; none: there is no row. */
type State = readonly Version[]

/** All states a row may be seen in by a read that began at a tick and ends now. */
function statesOf(table: ModelTable, versions: readonly Version[], begin: number): State[] {
  const truncates = table.changes.filter(({ kind }) => kind === 'truncate')
  const surelySeen = countWhile(versions, ({ end, unknown }) => end !== undefined && end < begin && !unknown)
  const surelyGone = countWhile(versions, version => truncates.some(each => surelyAfter(each, version, begin)))
  const maybeGone = countWhile(versions, version => truncates.some(each => maybeAfter(each, version)))
  const states: State[] = []
  for (let from = surelyGone; from <= maybeGone; from++) {
    for (let to = Math.max(from, surelySeen); to <= versions.length; to++) {
      states.push(visible(table.kind, versions.slice(from, to)))
    }
  }
  return states
}

function visible(kind: TableKind, versions: readonly Version[]): State {
  const last = versions.findLastIndex(({ op }) => op === 'delete')
  const puts = versions.slice(last + 1)
  return kind === 'last_non_null' ? puts : puts.slice(-1)
}

/** A change that took away what a version wrote, for every reader since a tick. */
function surelyAfter(change: Span, { end }: Span, begin: number): boolean {
  const isOver = change.end !== undefined && change.end < begin && !change.unknown
  return isOver && end !== undefined && end < change.begin
}

function maybeAfter(change: Span, { begin }: Span): boolean {
  return change.end === undefined || begin < change.end
}

function wrongCell(
  table: ModelTable,
  key: string,
  state: State,
  row: FoundRow,
  { begin, only }: Found
): string | undefined {
  const given = new Set(state.flatMap(({ columns }) => [...columns]))
  const defaults = table.changes.filter(({ kind }) => kind === 'add_default')
  const columns = new Set([...row.keys(), ...given, ...defaults.map(({ column }) => column)])
  for (const column of only ?? columns) {
    if (only !== undefined && !columns.has(column)) continue
    const texts = cellTexts(table, key, state, column, begin)
    const text = row.get(column)
    if (!texts.has(text)) {
      return `${column} is ${text ?? 'null'} instead of ${[...texts].map(each => each ?? 'null').join(' or ')}`
    }
  }
  return undefined
}

/** What a cell may hold; undefined is null. */
function cellTexts(
  table: ModelTable,
  key: string,
  state: State,
  column: string,
  begin: number
): ReadonlySet<string | undefined> {
  const own = table.changes.filter(change => change.column === column)
  const drops = own.filter(({ kind }) => kind === 'drop_column')
  const texts = new Set<string | undefined>()
  for (const version of state.toReversed()) {
    if (drops.some(drop => surelyAfter(drop, version, begin))) break
    if (!version.columns.has(column)) continue
    texts.add(cellText(version.id, key, column))
    if (!drops.some(drop => maybeAfter(drop, version))) return texts
  }
  const added = own.filter(({ kind }) => kind === 'add_default')
  if (added.length > 0) texts.add(defaultText)
  if (!added.some(({ end, unknown }) => end !== undefined && end < begin && !unknown)) texts.add(undefined)
  return texts
}

function countWhile<T>(list: readonly T[], holds: (item: T) => boolean): number {
  const end = list.findIndex(item => !holds(item))
  return end < 0 ? list.length : end
}

function idsOf(versions: readonly Version[]): string {
  return versions
    .slice(-5)
    .map(({ id, op, begin, end }) => `${op} ${id} (${begin} to ${end ?? 'now'})`)
    .join(', ')
}
