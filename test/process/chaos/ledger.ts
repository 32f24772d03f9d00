// Records what was sent and answered: rows that must exist, rows that may, and rows that must not.

/** Rows of one request in one table. */
export interface Portion {
  readonly rows: number
  /** Characters of all notes. */
  readonly characters: number
}

export interface Sent {
  readonly id: number
  readonly portions: ReadonlyMap<string, Portion>
  /** `open`: no answer came; `refused`: answered with an error. */
  state: 'open' | 'answered' | 'refused'
}

/** What a table holds of one request. */
export interface FoundPortion extends Portion {
  readonly distinctItems: number
}

/** By table, what it holds of the requests of the round, and how many rows it has in all; absent: no such table. */
export type Found = ReadonlyMap<
  string,
  { readonly total: number; readonly requests: ReadonlyMap<number, FoundPortion> }
>

export class Ledger {
  /** Requests of this round. */
  #sent: Sent[] = []
  #next = 1
  /** Rows that are known to be kept, by table and request. */
  readonly #kept = new Map<string, Map<number, Portion>>()
  #dropping: { readonly table: string; answered: boolean } | undefined
  answered = 0

  /** The first request of this round. */
  get roundStart(): number {
    return this.#sent[0]?.id ?? this.#next
  }

  get nextId(): number {
    return this.#next
  }

  /** Every table that ever got a row. */
  get tables(): readonly string[] {
    return [...this.#kept.keys()]
  }

  open(portions: ReadonlyMap<string, Portion>): Sent {
    const sent: Sent = { id: this.#next++, portions, state: 'open' }
    this.#sent.push(sent)
    for (const table of portions.keys()) if (!this.#kept.has(table)) this.#kept.set(table, new Map())
    return sent
  }

  /** The table is being dropped; no client writes to it in this round. */
  drop(table: string): { answered: boolean } {
    this.#dropping = { table, answered: false }
    return this.#dropping
  }

  /** Compares the rows found after the round with those recorded, and continues from the rows found. */
  settle(found: Found): string[] {
    const problems = this.#settleDrop(found)
    for (const sent of this.#sent) problems.push(...this.#settleRequest(sent, found))
    const known = new Set(this.#sent.map(({ id }) => id))
    for (const [table, { total, requests }] of found) {
      for (const id of requests.keys())
        if (!known.has(id)) problems.push(`${table} holds request ${id}, which was never sent`)
      const wanted = this.rowsKept(table)
      if (total !== wanted) problems.push(`${table} holds ${total} rows instead of ${wanted}`)
    }
    for (const table of this.tables) {
      if (!found.has(table) && this.rowsKept(table) > 0)
        problems.push(`${table} is gone with ${this.rowsKept(table)} rows`)
    }
    this.#sent = []
    return problems
  }

  rowsKept(table: string): number {
    return [...(this.#kept.get(table)?.values() ?? [])].reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Compares everything kept in a table with everything found. */
  compare(table: string, found: ReadonlyMap<number, FoundPortion>): string[] {
    const kept = this.#kept.get(table) ?? new Map<number, Portion>()
    const wrong = [...kept].filter(([id, portion]) => !isWhole(portion, found.get(id)))
    const strange = [...found.keys()].filter(id => !kept.has(id))
    return [
      ...wrong.map(([id, portion]) => `${table}, request ${id}: ${show(found.get(id))} instead of ${show(portion)}`),
      ...strange.map(id => `${table} holds request ${id}, which it must not`)
    ]
  }

  #settleRequest({ id, portions, state }: Sent, found: Found): string[] {
    const parts = [...portions].map(([table, portion]) => ({
      table,
      portion,
      found: found.get(table)?.requests.get(id)
    }))
    const whole = parts.every(part => isWhole(part.portion, part.found))
    const absent = parts.every(part => part.found === undefined)
    if (whole) for (const { table, portion } of parts) this.#kept.get(table)!.set(id, portion)
    if (state === 'answered') this.answered++
    if (state === 'refused' ? absent : whole || (absent && state === 'open')) return []
    const shown = parts.map(part => `${part.table}: ${show(part.found)} of ${show(part.portion)}`)
    return [
      `request ${id} (${state}) is there ${absent ? 'not at all' : whole ? 'whole' : 'in part'}: ${shown.join('; ')}`
    ]
  }

  #settleDrop(found: Found): string[] {
    const dropping = this.#dropping
    this.#dropping = undefined
    if (dropping === undefined) return []
    const left = found.get(dropping.table)?.total ?? 0
    if (left === 0) this.#kept.get(dropping.table)?.clear()
    return dropping.answered && left > 0 ? [`${dropping.table} was dropped and holds ${left} rows`] : []
  }
}

function isWhole(wanted: Portion, found: FoundPortion | undefined): boolean {
  return (
    found !== undefined &&
    found.rows === wanted.rows &&
    found.distinctItems === wanted.rows &&
    found.characters === wanted.characters
  )
}

function show(portion: Portion | FoundPortion | undefined): string {
  if (portion === undefined) return 'nothing'
  const distinct = 'distinctItems' in portion ? ` (${portion.distinctItems} distinct)` : ''
  return `${portion.rows} rows${distinct} with ${portion.characters} characters`
}
