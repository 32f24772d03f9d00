// One of the series that were written since the start, and how new samples are.
import type { RequestContext, SeriesName } from '../../../core/index.ts'

export interface SeenSeries {
  readonly db: string
  readonly metric: string
  readonly labels: ReadonlyMap<string, string>
}

export class LastSeen {
  /** Resolves with the first series. */
  readonly first: Promise<void>
  readonly #found: () => void
  #series: SeenSeries | undefined
  /** Of the last sample that was written, in milliseconds since 1970. */
  time = 0

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.first = promise
    this.#found = resolve
  }

  get series(): SeenSeries | undefined {
    return this.#series
  }

  /** Only the first is kept. */
  tell({ db }: Pick<RequestContext, 'db'>, time: number, name: () => SeriesName): void {
    this.time = time
    if (this.#series !== undefined) return
    const { database = db, table, labels } = name()
    this.#series = {
      db: database,
      metric: table,
      // A copy: the memory of short values is moved before it can be seen as a buffer.
      labels: new Map(labels.map(label => [label.name, Buffer.from(label.value).toString()]))
    }
    this.#found()
  }
}
