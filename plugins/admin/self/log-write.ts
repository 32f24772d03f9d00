// Log lines as rows: members that every line has become columns, all others JSON.
import { type BytesData, bitmap, type Column, type ColumnType, clearBit, type TableWrite } from '../../../core/index.ts'

export const logTable = 'server_logs'

/** Members named like a standard column overwrite it. */
type Line = Readonly<Record<string, unknown>>

/** `lines` are JSON as the log writes them; `ttl` is used if the table is created. */
export function logWrite(lines: readonly string[], ttl: string): TableWrite {
  const records = lines.map(line => JSON.parse(line) as Line)
  const texts = (name: string, type: ColumnType, value: (line: Line) => unknown): Column => ({
    name,
    type,
    semantic: 'field',
    data: bytesOf(records.map(value))
  })
  const now = Date.now()
  const times = BigInt64Array.from(records, ({ time }) => BigInt(Date.parse(String(time)) || now) * 1_000_000n)
  return {
    table: logTable,
    rows: records.length,
    columns: [
      { name: 'timestamp', type: 'TimestampNanosecond', semantic: 'timestamp', data: { kind: 'fixed', values: times } },
      texts('level', 'String', ({ level }) => level),
      texts('message', 'String', ({ msg }) => msg),
      texts('server', 'String', ({ server }) => server),
      texts('plugin', 'String', ({ plugin }) => plugin),
      texts('facts', 'Json', factsOf)
    ],
    options: { append_mode: true, ttl },
    autoCreate: true
  }
}

/** The members without a column; undefined if there are none. */
function factsOf({ time: _t, level: _l, msg: _m, server: _s, plugin: _p, ...facts }: Line): string | undefined {
  return Object.keys(facts).length === 0 ? undefined : JSON.stringify(facts)
}

function bytesOf(values: readonly unknown[]): BytesData {
  const parts = values.map(value => Buffer.from(value === undefined ? '' : textOf(value).toWellFormed()))
  const offsets = new Uint32Array(parts.length + 1)
  const valid = bitmap(parts.length, true)
  for (const [i, part] of parts.entries()) {
    offsets[i + 1] = offsets[i]! + part.length
    if (values[i] === undefined) clearBit(valid, i)
  }
  return { kind: 'bytes', offsets, bytes: Buffer.concat(parts), valid }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
