// A push request as columns: labels become tags, with a dictionary of their texts.
import {
  type BytesData,
  bitmap,
  type Column,
  cell,
  cellMemory,
  checkCells,
  compareUtf8,
  DbError,
  type DictionaryData,
  endsStep,
  integerColumn,
  type Steps,
  textColumn,
  timeColumn
} from '../../core/index.ts'
import type { Push, Stream } from './decode/push.ts'

/** Streams of one step. */
const stepStreams = 1_024

const lineColumn = 'line'
const metadataColumn = 'structured_metadata'
const reserved: readonly string[] = [timeColumn, lineColumn, metadataColumn]
const noMetadata = Buffer.from('{}')

/** Throws DbError `InvalidArguments` for a label named like one of the other columns. */
export function* columnsOf(push: Push): Steps<Column[]> {
  const { rows } = push.batch
  const names = yield* labelNames(push)
  const taken = names.find(name => reserved.includes(name))
  if (taken !== undefined) {
    throw new DbError('InvalidArguments', `the label ${taken} has the name of a column that every table of entries has`)
  }
  yield cellMemory(names.length + reserved.length, rows)
  const all = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) all[row] = row
  yield
  const times = integerColumn(push.time, all)
  const columns: Column[] = [{ name: timeColumn, type: 'TimestampNanosecond', semantic: 'timestamp', data: times }]
  yield
  columns.push({
    name: lineColumn,
    type: 'String',
    semantic: 'field',
    data: yield* textColumn(push.batch, push.line, all)
  })
  yield
  columns.push({ name: metadataColumn, type: 'Json', semantic: 'field', data: yield* metadataData(push, all) })
  for (const name of names) {
    yield
    columns.push({ name, type: 'String', semantic: 'tag', data: yield* labelData(push.streams, name, rows) })
  }
  return columns
}

/** Sorted within a stream; labels that first occur in later streams follow. Throws DbError `InvalidArguments` for more than a batch may have. */
function* labelNames({ streams, batch }: Push): Steps<readonly string[]> {
  const names = new Set<string>()
  for (const [i, { labels }] of streams.entries()) {
    if (endsStep(i, stepStreams)) yield
    const added = [...labels.keys()].filter(name => !names.has(name))
    if (added.length === 0) continue
    checkCells(names.size + added.length + reserved.length, batch.rows)
    for (const name of added.sort(compareUtf8)) names.add(name)
  }
  return [...names]
}

/** Entries without metadata get an empty object. */
function* metadataData({ batch, metadata }: Push, rows: Uint32Array): Steps<BytesData> {
  const start = batch.append(noMetadata)
  for (const row of rows) {
    if (metadata.kinds[row] !== cell.string) metadata.setRange(row, start, start + noMetadata.length)
  }
  return yield* textColumn(batch, metadata, rows)
}

function* labelData(streams: readonly Stream[], name: string, rows: number): Steps<DictionaryData> {
  const codes = new Uint32Array(rows)
  const known = new Map<string, number>()
  let valid: Uint8Array | undefined
  for (const [i, { labels, first, end }] of streams.entries()) {
    if (endsStep(i, stepStreams)) yield
    const value = labels.get(name)
    if (value === undefined) {
      valid ??= bitmap(rows, true)
      for (let row = first; row < end; row++) valid[row >> 3]! &= ~(1 << (row & 7))
      continue
    }
    const code = known.get(value) ?? known.size
    known.set(value, code)
    codes.fill(code, first, end)
  }
  return { kind: 'dictionary', codes, dictionary: yield* dictionaryOf([...known.keys()]), ...(valid && { valid }) }
}

function* dictionaryOf(values: readonly string[]): Steps<BytesData> {
  const offsets = new Uint32Array(values.length + 1)
  const bytes: Buffer[] = []
  for (const [i, value] of values.entries()) {
    if (endsStep(i, stepStreams)) yield
    const text = Buffer.from(value)
    bytes.push(text)
    offsets[i + 1] = offsets[i]! + text.length
  }
  return { kind: 'bytes', offsets, bytes: Buffer.concat(bytes) }
}
