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
  type ItemField
} from '../../core/index.ts'
import { type Push, type Stream, timeColumn } from './push.ts'

const lineColumn = 'line'
const metadataColumn = 'structured_metadata'
const reserved: readonly string[] = [timeColumn, lineColumn, metadataColumn]
const noMetadata = Buffer.from('{}')
/** Up to this many bytes a loop is faster than a call that copies. */
const shortCopy = 48

/** Throws DbError `InvalidArguments` for a label that is called as one of the other columns. */
export function columnsOf(push: Push): Column[] {
  const { rows } = push.batch
  const names = labelNames(push.streams)
  const taken = names.find(name => reserved.includes(name))
  if (taken !== undefined) {
    throw new DbError('InvalidArguments', `the label ${taken} is called as a column that every entry has`)
  }
  checkRoom(names.length + reserved.length, rows)
  return [
    {
      name: timeColumn,
      type: 'TimestampNanosecond',
      semantic: 'timestamp',
      data: { kind: 'fixed', values: push.time.ints.slice(0, rows) }
    },
    { name: lineColumn, type: 'String', semantic: 'field', data: texts(push, push.line, undefined) },
    { name: metadataColumn, type: 'Json', semantic: 'field', data: texts(push, push.metadata, noMetadata) },
    ...names.map(
      name => ({ name, type: 'String', semantic: 'tag', data: labelData(push.streams, name, rows) }) as const
    )
  ]
}

/** Sorted within a stream, those that only later streams have behind them. */
export function labelNames(streams: readonly Stream[]): readonly string[] {
  const names = new Set<string>()
  for (const { labels } of streams) {
    for (const name of [...labels.keys()].filter(name => !names.has(name)).sort(compareUtf8)) names.add(name)
  }
  return [...names]
}

/** Ranges of the request's bytes one behind the other; `otherwise` where a row has none. */
function texts({ batch }: Push, { kinds, words }: ItemField, otherwise: Uint8Array | undefined): BytesData {
  const { rows } = batch
  const offsets = new Uint32Array(rows + 1)
  const missing = otherwise?.length ?? 0
  let length = 0
  for (let row = 0; row < rows; row++) {
    length += kinds[row] === cell.string ? words[row * 2 + 1]! - words[row * 2]! : missing
    offsets[row + 1] = length
  }
  const target = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  // A plain view: taking ranges of a Buffer costs twice as much.
  const source = new Uint8Array(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.length)
  for (let row = 0; row < rows; row++) {
    const isText = kinds[row] === cell.string
    const from = isText ? source : otherwise!
    const start = isText ? words[row * 2]! : 0
    const end = isText ? words[row * 2 + 1]! : missing
    let to = offsets[row]!
    if (end - start > shortCopy) target.set(from.subarray(start, end), to)
    else for (let at = start; at < end; at++) target[to++] = from[at]!
  }
  return { kind: 'bytes', offsets, bytes: target }
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
