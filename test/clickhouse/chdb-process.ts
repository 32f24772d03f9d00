// ClickHouse's HTTP protocol over chdb, in a process of its own: chdb keeps one data folder a process, and computes in this one.
// Its arguments are the folder, a password and a port; the parent is told the port. Requests are answered one after the other, as settings are the connection's.
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'

const [folder, password = '', port = '0'] = process.argv.slice(2) as [string, string?, string?]
interface ChdbResult {
  readonly rowsRead: number
  readonly bytesRead: number
  bytes(): Uint8Array
}

interface ChdbSession {
  queryAsync(sql: string, options: { readonly format?: string }): Promise<ChdbResult>
}

// No dependency: see `needingClickHouse`.
const name = 'chdb'
const { Session } = (await import(name)) as { readonly Session: new (folder: string) => ChdbSession }
const session = new Session(join(folder, 'data'))
/** Parameters of a request that are no settings of the statement. */
const ownParameters = new Set([
  'query',
  'database',
  'query_id',
  'session_id',
  'session_timeout',
  'session_check',
  'default_format',
  'role',
  'enable_http_compression',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_write_exception_in_output_format',
  'user',
  'password',
  'readonly'
])

let turn: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = turn.then(work, work)
  turn = next.catch(() => {})
  return next
}

interface Answer {
  readonly bytes: Uint8Array
  readonly summary: Readonly<Record<string, string>>
}

async function run(sql: string, format?: string): Promise<Uint8Array> {
  return (await session.queryAsync(sql, format === undefined ? {} : { format })).bytes()
}

/** A text as a literal of SQL. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
}

/** What the connection is set to; the next request mostly wants the same. */
let state: { readonly database: string; readonly settings: ReadonlyMap<string, string> } = {
  database: 'default',
  settings: new Map()
}

async function prepare(parameters: URLSearchParams): Promise<void> {
  const database = parameters.get('database') ?? 'default'
  const wanted = new Map(Array.from(parameters).filter(([name]) => !ownParameters.has(name)))
  const before = state
  // Whatever fails on the way, the next request begins anew.
  state = { database: '', settings: new Map([...before.settings, ...wanted]) }
  const gone = [...before.settings.keys()].filter(name => !wanted.has(name) && !name.startsWith('param_'))
  const changed = [...wanted].filter(([name, value]) => before.settings.get(name) !== value)
  if (gone.length > 0) await run(`SET ${gone.map(name => `${name} = DEFAULT`).join(', ')}`)
  if (changed.length > 0) await run(`SET ${changed.map(([name, value]) => `${name} = ${quote(value)}`).join(', ')}`)
  if (database !== before.database) await run(`USE \`${database.replaceAll('`', '``')}\``)
  state = { database, settings: wanted }
}

async function answer(parameters: URLSearchParams, sql: string, data: Uint8Array | undefined): Promise<Answer> {
  let file: string | undefined
  try {
    // A connection that was made read-only stays read-only, so statements that it would refuse are refused here.
    if (Number(parameters.get('readonly') ?? 0) > 0 && !/^[\s(]*(SELECT|WITH|EXPLAIN|SHOW|DESC)/i.test(sql)) {
      throw new Error(`${code(164)} Cannot execute query in readonly mode. (READONLY)`)
    }
    await prepare(parameters)
    let statement = sql
    if (data !== undefined && data.length > 0) {
      const [, head, format] = /^([\s\S]*?)\s+FORMAT\s+(\w+)\s*;?\s*$/i.exec(sql) ?? []
      if (head === undefined || !/^\s*INSERT\s/i.test(sql))
        throw new Error(`${code(62)} data for ${sql} (SYNTAX_ERROR)`)
      file = join(folder, randomUUID())
      writeFileSync(file, data)
      statement = `${head} FROM INFILE ${quote(file)} COMPRESSION 'none' FORMAT ${format}`
    }
    const started = performance.now()
    const result = await session.queryAsync(statement, { format: parameters.get('default_format') ?? 'TabSeparated' })
    const written = result as unknown as { readonly rowsWritten?: number }
    const summary = {
      read_rows: String(result.rowsRead),
      read_bytes: String(result.bytesRead),
      written_rows: String(written.rowsWritten ?? 0),
      elapsed_ns: String(Math.round((performance.now() - started) * 1e6))
    }
    return { bytes: result.bytes(), summary }
  } finally {
    if (file !== undefined) rmSync(file, { force: true })
  }
}

function code(number: number): string {
  return `Code: ${number}. DB::Exception:`
}

const decompress: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const encoding = request.headers['content-encoding']
  return encoding === undefined || bytes.length === 0 ? bytes : decompress[encoding]!(bytes)
}

function mayEnter(request: IncomingMessage): boolean {
  const { authorization = '' } = request.headers
  const [, basic] = /^Basic (.+)$/.exec(authorization) ?? []
  const given = basic === undefined ? '' : Buffer.from(basic, 'base64').toString()
  return given.slice(given.indexOf(':') + 1) === password
}

/** The part of ClickHouse's own table from codes to HTTP statuses that tests meet. */
function statusOf(number: number): number {
  if ([60, 81].includes(number)) return 404
  if ([497].includes(number)) return 403
  if ([516, 193, 194].includes(number)) return 401
  if ([62, 47, 43, 42, 53, 6, 27, 36, 386].includes(number)) return 400
  if ([159].includes(number)) return 408
  return 500
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/ping') return void response.end('Ok.\n')
  const parameters = url.searchParams
  const queryId = parameters.get('query_id') ?? randomUUID()
  response.setHeader('X-ClickHouse-Query-Id', queryId)
  response.setHeader('X-ClickHouse-Server-Display-Name', 'chdb')
  let gone = false
  response.on('close', () => {
    gone = true
  })
  try {
    const body = await readBody(request)
    if (!mayEnter(request)) {
      throw new Error(
        `${code(516)} default: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`
      )
    }
    const inUrl = parameters.get('query')
    const sql = inUrl ?? Buffer.from(body).toString()
    const { bytes, summary } = await inTurn(async () => {
      if (gone) throw new Error(`${code(210)} the client left (NETWORK_ERROR)`)
      return answer(parameters, sql, inUrl === null ? undefined : body)
    })
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary))
    response.setHeader('Content-Type', 'application/octet-stream')
    const packed = parameters.get('enable_http_compression') === '1'
    if (packed) response.setHeader('Content-Encoding', 'gzip')
    response.end(packed ? gzipSync(bytes) : bytes)
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error)
    // What chdb adds around an error of a file is not there on a server.
    const text = told.replace(/^(?:Code: \d+\. DB::Exception: )(?=Code: \d+\. DB::Exception: )/, '')
    const number = Number(/Code: (\d+)/.exec(text)?.[1] ?? 1002)
    response.statusCode = statusOf(number)
    response.setHeader('X-ClickHouse-Exception-Code', String(number))
    response.end(`${text}\n`)
  }
}

const server = createServer((request, response) => void serve(request, response))
server.keepAliveTimeout = 60_000
server.listen(Number(port), '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
// Nothing outlives who started it; who does ends first, also where Ctrl-C is told to both.
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
