// A table in which rows are overwritten: each sender owns a few keys and writes or deletes them all at once, one request after the other.

/** An ordinary table, and a logical one whose fields are merged. */
export const newestTables = { newest: 'chaos_newest', latest: 'chaos_latest' } as const
export const keysPerSender = 5

export class Newest {
  readonly table: string
  /** By sender: requests its rows may come from, the answered one first. */
  readonly #allowed = new Map<number, number[]>()

  constructor(table: string) {
    this.table = table
  }

  /** Request 0 deletes. */
  sent(sender: number, request: number): void {
    this.#allowed.set(sender, [...(this.#allowed.get(sender) ?? [0]), request])
  }

  answered(sender: number, request: number): void {
    this.#allowed.set(sender, [request])
  }

  /** Compares with the rows found, `[sender, key, request]`, and takes those as kept. */
  settle(rows: readonly (readonly number[])[]): string[] {
    const bySender = Map.groupBy(rows, ([sender]) => sender!)
    const problems: string[] = []
    for (const [sender, allowed] of this.#allowed) {
      const found = bySender.get(sender) ?? []
      const requests = new Set(found.map(([, , request]) => request!))
      const [request = 0] = requests
      const count = request === 0 ? 0 : keysPerSender
      if (requests.size > 1 || found.length !== count || !allowed.includes(request)) {
        const shown = found.map(row => row.join(':')).join(' ')
        problems.push(
          `${this.table}, sender ${sender}: found ${shown || 'nothing'}, allowed are requests ${allowed.join()}`
        )
      }
      this.#allowed.set(sender, [request])
    }
    return problems
  }
}
