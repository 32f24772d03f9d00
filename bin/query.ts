// weir query: runs a query on a server, in SQL or PromQL, and prints the rows.
import type { RecordsAnswer } from '../core/format/answer.ts'
import { table } from '../core/format/table.ts'
import { convertTime, formatTimestamp } from '../core/model/time.ts'
import { isTimestamp, type ResultType, timeUnit } from '../core/model/types.ts'
import { type Command, parseFlags, UsageError } from './command.ts'

const usage = `Asks a running server and prints the rows as a table.

Usage: weir query [OPTIONS] QUERY

Options:
      --promql          QUERY is PromQL, not SQL; without --start and --end it is evaluated now
      --start TIME      Where a PromQL query begins: Unix seconds or RFC 3339
      --end TIME        Where it ends
      --step DURATION   Time between two steps, 15s by default
      --url URL         Server, http://127.0.0.1:4000 by default
      --db NAME         Database, public by default
      --user NAME       User, with the password in the environment variable WEIR_PASSWORD
      --raw             Times as integers in the unit of their column, instead of UTC
      --format FORMAT   Any format of /v1/sql as the server writes it: csvWithNames, svc_v1, arrow …; table is what --raw shows
  -h, --help            Show this text`

const options = {
  promql: { type: 'boolean' },
  start: { type: 'string' },
  end: { type: 'string' },
  step: { type: 'string' },
  url: { type: 'string' },
  db: { type: 'string' },
  user: { type: 'string' },
  raw: { type: 'boolean' },
  format: { type: 'string' }
} as const

export const query: Command = {
  usage,
  async run(args) {
    const { values, positionals } = parseFlags(args, options, ['QUERY'])
    const { promql = false, url = 'http://127.0.0.1:4000', db, user, raw, start, end, step } = values
    const { format = raw ? 'table' : undefined } = values
    if (!promql && (start ?? end ?? step) !== undefined)
      throw new UsageError('--start, --end and --step are for --promql')
    if (!URL.canParse(url)) throw new UsageError(`--url ${url} is no URL`)
    const text = positionals[0]!
    const now = String(Date.now() / 1000)
    const asked = promql
      ? { query: text, start: start ?? end ?? now, end: end ?? now, step: step ?? '15s' }
      : { sql: text }
    const target = new URL(promql ? '/v1/promql' : '/v1/sql', url)
    const headers = new Headers()
    if (user !== undefined) {
      const credentials = Buffer.from(`${user}:${process.env['WEIR_PASSWORD'] ?? ''}`).toString('base64')
      headers.set('authorization', `Basic ${credentials}`)
    }
    const body = new URLSearchParams({ ...asked, format: format ?? 'svc_v1', ...(db !== undefined && { db }) })
    const answer = await fetch(target, { method: 'POST', headers, body }).catch((cause: Error) => {
      const reason =
        cause.cause instanceof Error ? cause.cause.message || (cause.cause as { code?: string }).code : cause.message
      throw new Error(`cannot reach ${target.origin}: ${reason}`, { cause })
    })
    if (!answer.ok) throw new Error(await reasonOf(answer))
    for await (const piece of format === undefined ? tablesOf(await answer.text()) : (answer.body ?? [])) {
      if (!process.stdout.write(piece)) await new Promise(resolve => process.stdout.once('drain', resolve))
    }
  }
}

interface Records {
  readonly schema: { readonly column_schemas: readonly { readonly name: string; readonly data_type: ResultType }[] }
  readonly rows: readonly (readonly unknown[])[]
}

type Output = { readonly records: Records } | { readonly affectedrows: number }

/** A table per statement, in the format `table`, with formatted times. */
async function* tablesOf(text: string): AsyncGenerator<string | Uint8Array> {
  for (const answer of (JSON.parse(text, keepDigits) as { output: readonly Output[] }).output) {
    if ('affectedrows' in answer) yield `${JSON.stringify(answer.affectedrows)}\n`
    else yield* table.encode([shownRecords(answer.records)], { elapsed: () => 0 })
  }
}

function shownRecords({ schema, rows }: Records): RecordsAnswer {
  const cells = schema.column_schemas.map(({ data_type: type }, at) => ({
    values: rows.map(row => cellText(row[at], type))
  }))
  return {
    kind: 'records',
    columns: schema.column_schemas.map(({ name }) => ({ name, type: 'Json' })),
    async *batches() {
      yield { rows: rows.length, columns: cells }
    }
  }
}

function cellText(value: unknown, type: ResultType): string {
  const text = JSON.stringify(value)
  return isTimestamp(type) && value !== null ? formatTimestamp(convertTime(BigInt(text), timeUnit(type), 'ns')) : text
}

/** Keeps all digits of numbers. */
const keepDigits = ((_key: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number' ? rawJSON(source) : value) as (key: string, value: unknown) => unknown
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text()
  try {
    return (JSON.parse(text) as { error?: string }).error ?? text
  } catch {
    return text || `the server answers ${answer.status}`
  }
}
