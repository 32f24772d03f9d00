// What a push request holds once it is read: its entries as a batch of items, and the labels of its streams.
import { checkCells, ItemBatch, type ItemError, type ItemField } from '../../../core/index.ts'

/** The time index of the entries' table, and the key of an entry's time for pipelines. */
export const timeColumn = 'svc_timestamp'
/** The key of an entry's text for pipelines. */
const lineKey = 'logpush_line'

/** A run of entries with the same labels; of equal names the last counts. */
export interface Stream {
  readonly labels: ReadonlyMap<string, string>
  /** Rows from `first` to before `end`. */
  readonly first: number
  readonly end: number
}

/** How many left out entries an answer tells. */
const shownErrors = 10

/** One request; decoders fill it. */
export class Push {
  readonly batch: ItemBatch
  readonly streams: Stream[] = []
  /** Nanoseconds since 1970. */
  readonly time: ItemField
  readonly line: ItemField
  /** Structured metadata as the text of a JSON object, absent where an entry has none. No field of the batch. */
  readonly metadata: ItemField
  /** Entries that were left out, and the first of them. */
  skipped = 0
  readonly errors: ItemError[] = []
  /** Labels and metadata that were left out, texts in which bytes that are no UTF-8 were replaced. */
  readonly dropped = { label: 0, metadata: 0, utf8: 0 }

  /** Bytes an entry may have. */
  readonly maxBytes: number

  /** The lines stay in `bytes`. */
  constructor(bytes: Uint8Array, maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes
    this.batch = new ItemBatch(Math.min(65_536, (bytes.length >> 6) + 16), bytes)
    this.time = this.batch.take(timeColumn)
    this.line = this.batch.take(lineKey)
    this.metadata = this.batch.take('')
    this.batch.fields.delete('')
  }

  /** The row of the next entry, which counts once `add` is called; cells of it may hold anything but for the metadata. */
  next(): number {
    const { batch, metadata } = this
    if (batch.rows === batch.capacity) {
      const capacity = batch.capacity * 2
      checkCells(3, capacity)
      batch.reserve(capacity)
      metadata.grow(capacity)
    }
    metadata.setAbsent(batch.rows)
    return batch.rows
  }

  add(): void {
    this.batch.rows++
  }

  /** An entry that cannot be taken. */
  skip(message: string): void {
    if (this.errors.length < shownErrors) this.errors.push({ index: this.batch.rows + this.skipped, message })
    this.skipped++
  }

  isLarge(bytes: number): boolean {
    return bytes > this.maxBytes
  }

  skipLarge(): void {
    this.skip(`the entry takes more than ${this.maxBytes} bytes (plugins.logpush.max_entry_size)`)
  }

  addStream(labels: ReadonlyMap<string, string>, first: number): void {
    if (this.batch.rows > first) this.streams.push({ labels, first, end: this.batch.rows })
  }
}
