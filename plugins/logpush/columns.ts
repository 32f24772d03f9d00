// A push request as the columns of its table: labels become tags, equal texts of a label stand in it once.
import {
  type BytesData,
  bitmap,
  type Column,
  cell,
  checkRoom,
  compareUtf8,
  DbError,
  type DictionaryData,
  integerColumn,
  textColumn
} from '../../core/index.ts'
import { type Push, type Stream, timeColumn } from './push.ts'

const lineColumn = 'line'
const metadataColumn = 'structured_metadata'
const reserved: readonly string[] = [timeColumn, lineColumn, metadataColumn]
const noMetadata = Buffer.from('{}')

/** Throws DbError `InvalidArguments` for a label that is called as one of the other columns. */
export function columnsOf(push: Push): Column[] {
  const { rows } = push.batch
  const names = labelNames(push.streams)
  const taken = names.find(name => reserved.includes(name))
  if (taken !== undefined) {
    throw new DbError('InvalidArguments', `the label ${taken} is called as a column that every entry has`)
  }
  checkRoom(names.length + reserved.length, rows)
  const all = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) all[row] = row
  return [
    {
      name: timeColumn,
      type: 'TimestampNanosecond',
      semantic: 'timestamp',
      data: integerColumn(push.time, all)
    },
    { name: lineColumn, type: 'String', semantic: 'field', data: textColumn(push.batch, push.line, all) },
    { name: metadataColumn, type: 'Json', semantic: 'field', data: metadataData(push, all) },
    ...names.map(
      name => ({ name, type: 'String', semantic: 'tag', data: labelData(push.streams, name, rows) }) as const
    )
  ]
}

/** Sorted within a stream, those that only later streams have behind them. */
function labelNames(streams: readonly Stream[]): readonly string[] {
  const names = new Set<string>()
  for (const { labels } of streams) {
    for (const name of [...labels.keys()].filter(name => !names.has(name)).sort(compareUtf8)) names.add(name)
  }
  return [...names]
}

/** Entries without metadata have an empty object. */
function metadataData({ batch, metadata }: Push, rows: Uint32Array): BytesData {
  const start = batch.append(noMetadata)
  for (const row of rows) {
    if (metadata.kinds[row] !== cell.string) metadata.setRange(row, start, start + noMetadata.length)
  }
  return textColumn(batch, metadata, rows)
}

function labelData(streams: readonly Stream[], name: string, rows: number): DictionaryData {
  const codes = new Uint32Array(rows)
  const known = new Map<string, number>()
  let valid: Uint8Array | undefined
  for (const { labels, first, end } of streams) {
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
  return { kind: 'dictionary', codes, dictionary: dictionaryOf([...known.keys()]), ...(valid && { valid }) }
}

function dictionaryOf(values: readonly string[]): BytesData {
  const offsets = new Uint32Array(values.length + 1)
  const bytes = values.map(value => Buffer.from(value))
  bytes.forEach((value, i) => {
    offsets[i + 1] = offsets[i]! + value.length
  })
  return { kind: 'bytes', offsets, bytes: Buffer.concat(bytes) }
}
