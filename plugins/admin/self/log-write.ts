// Log lines as rows: members that every line has become columns, all others JSON.
import { columnOf, type TableWrite } from '../../../core/index.ts'

const logTable = 'server_logs'

/** Members named like a standard column overwrite it. */
type Line = Readonly<Record<string, unknown>>

/** `lines` are JSON as the log writes them; `ttl` is used if the table is created. */
export function logWrite(lines: readonly string[], ttl: string): TableWrite {
  const records = lines.map(line => JSON.parse(line) as Line)
  const texts = (name: string, type: 'String' | 'Json', value: (line: Line) => unknown) =>
    columnOf(name, 'field', type, records.map(value).map(textOf))
  const now = Date.now()
  const times = records.map(({ time }) => BigInt(Date.parse(String(time)) || now) * 1_000_000n)
  return {
    table: logTable,
    rows: records.length,
    columns: [
      columnOf('timestamp', 'timestamp', 'TimestampNanosecond', times),
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}
