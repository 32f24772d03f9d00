// A decoded push request: its entries as a batch of items, and the labels of its streams.
import {
  checkCells,
  DbError,
  ItemBatch,
  type ItemError,
  type ItemField,
  maxItemErrors,
  timeColumn
} from '../../../core/index.ts'

/** The key of an entry's text for pipelines. */
const lineKey = 'logpush_line'

/** Entries with the same labels; of equal label names the last one counts. */
export interface Stream {
  readonly labels: ReadonlyMap<string, string>
  /** Rows from `first` (inclusive) to `end` (exclusive). */
  readonly first: number
  readonly end: number
}

/** Bytes that a stream, and a label of it beside its text, take. */
const [streamBytes, labelBytes] = [150, 40]
/** Columns of entries that have no labels: time, line and metadata. */
const ownColumns = 3

/** Names of the structured metadata of one entry. */
export const maxMetadata = 4_096
/** Why an entry is left out that has more. */
export const tooManyMetadata = `the entry has more than ${maxMetadata} names of structured metadata`

/** Throws DbError `InvalidArguments` for more labels than a batch has fields. */
export function checkLabels(count: number): void {
  checkCells(count + ownColumns, 1)
}

/** A request, filled by a decoder. */
export class Push {
  readonly batch: ItemBatch
  readonly streams: Stream[] = []
  /** Nanoseconds since 1970. */
  readonly time: ItemField
  readonly line: ItemField
  /** Structured metadata as JSON objects; absent for entries without any. Not a field of the batch. */
  readonly metadata: ItemField
  /** Number of entries left out, and the first of them. */
  skipped = 0
  readonly errors: ItemError[] = []
  /** Number of labels and metadata left out, and of texts whose invalid UTF-8 was replaced. */
  readonly dropped = { label: 0, metadata: 0, utf8: 0 }

  /** Maximum bytes of an entry, and of the labels of a stream. */
  readonly maxBytes: number
  #labels = 0

  /** Lines are ranges of `bytes`. */
  constructor(bytes: Uint8Array, maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes
    this.batch = new ItemBatch(Math.min(65_536, (bytes.length >> 6) + 16), bytes)
    this.time = this.batch.getOrCreateField(timeColumn)
    this.line = this.batch.getOrCreateField(lineKey)
    this.metadata = this.batch.getOrCreateField('')
    this.batch.fields.delete('')
  }

  /** The row of the next entry, which counts once `add` is called. Its cells, except metadata, may hold old content. */
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

  /** Leaves out an invalid entry. */
  skip(message: string): void {
    if (this.errors.length < maxItemErrors) this.errors.push({ index: this.batch.rows + this.skipped, message })
    this.skipped++
  }

  isLarge(bytes: number): boolean {
    return bytes > this.maxBytes
  }

  skipLarge(): void {
    this.skip(`the entry takes more than ${this.maxBytes} bytes (plugins.logpush.max_entry_size)`)
  }

  /** Bytes that the request takes beside its text. */
  get memory(): number {
    return this.batch.memory + this.streams.length * streamBytes + this.#labels * labelBytes
  }

  /** Throws DbError `InvalidArguments` (413) for labels that are too long. */
  checkLabelBytes(isShort: boolean): void {
    if (isShort) return
    const reason = `the labels of a stream take more than ${this.maxBytes} bytes (plugins.logpush.max_entry_size)`
    throw new DbError('InvalidArguments', reason, { status: 413 })
  }

  addStream(labels: ReadonlyMap<string, string>, first: number): void {
    if (this.batch.rows === first) return
    this.streams.push({ labels, first, end: this.batch.rows })
    this.#labels += labels.size
  }
}
