// What hostile or careless clients send, one kind each.
import { createConnection } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'

export interface Target {
  readonly url: string
  /** Fires when the attack is over: who still waits leaves. */
  readonly signal?: AbortSignal
}

/** Who sends: `reader` may only read, `writer` may write, `nobody` has no password. */
export type Sender = 'reader' | 'writer' | 'nobody'

export interface Attack {
  readonly name: string
  /** Requests that run at the same time. */
  readonly many: number
  /** Milliseconds for 99 % of honest ingest beside it, where less than beside the others. */
  readonly ingestWithin?: number
  /** New series of one request. */
  readonly series?: number
  /** Sends one request; resolves with what became of it: a status, or a word. */
  send(target: Target): Promise<string>
  /** What the attack needs beforehand. */
  prepare?(target: Target): Promise<unknown>
}

export const passwords: Readonly<Record<string, string>> = {
  reader: 'reader-secret',
  writer: 'writer-secret',
  honest: 'honest-secret'
}

export function authorization(user: string): string {
  return `Basic ${Buffer.from(`${user}:${passwords[user]}`).toString('base64')}`
}

const MiB = 2 ** 20
const form = 'application/x-www-form-urlencoded'

interface Sent {
  readonly user?: Sender
  readonly type?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds after which the client leaves. */
  readonly patience?: number
}

async function send({ url, signal }: Target, path: string, sent: Sent = {}): Promise<string> {
  const { user = 'reader', type, body, headers, patience = 30_000 } = sent
  try {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(user !== 'nobody' && { authorization: authorization(user) }),
        ...(type && { 'content-type': type }),
        ...headers
      },
      ...(body !== undefined && { body: body as never }),
      signal: AbortSignal.any([AbortSignal.timeout(patience), ...(signal ? [signal] : [])])
    })
    await response.arrayBuffer()
    return String(response.status)
  } catch (error) {
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } }
    return cause?.code ?? name
  }
}

/** Made when it is first sent. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const sql = (text: () => string, many = 4, sent: Sent = {}): Pick<Attack, 'many' | 'send'> => {
  const body = once(() => `sql=${encodeURIComponent(text())}`)
  return { many, send: target => send(target, '/v1/sql', { type: form, body: body(), ...sent }) }
}

const dryRun = (pipeline: string, item: () => object, many = 2): Pick<Attack, 'many' | 'send'> => {
  const body = once(() => JSON.stringify({ pipeline, data: [item()] }))
  return { many, send: target => send(target, '/v1/pipelines/_dryrun', { type: 'application/json', body: body() }) }
}

const write = (path: string, type: string, make: () => string | Uint8Array, many = 2, headers = {}) => {
  const body = once(make)
  return { many, send: (target: Target) => send(target, path, { user: 'writer', type, body: body(), headers }) }
}

const time = '  - epoch: { field: ts, resolution: ms }\n'
const loops = `processors:
  - vrl:
      source: |
        for_each(array(.list) ?? []) -> |_, a| { for_each(array(.list) ?? []) -> |_, b| { . = . } }
        .
${time}`
const hostile = (kind: string, rest: string) => `processors:\n  - ${kind}: { field: m, ${rest} }\n${time}`
const createPipeline = (name: string, yaml: string) => (target: Target) =>
  send(target, `/v1/pipelines/${name}`, { user: 'writer', type: 'application/yaml', body: yaml })

const lines = (line: string, size: number) => line.repeat(Math.ceil(size / line.length))
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const zeros = once(() => zstdCompressSync(Buffer.alloc(60 * MiB, 0x20)))

let tables = 0

export const attacks: readonly Attack[] = [
  { name: 'dry run: loops in a script', ...dryRun(loops, () => ({ ts: 1, list: Array(20_000).fill(0) })) },
  {
    name: 'dry run: replacing with hindsight',
    ...dryRun(hostile('gsub', "pattern: 'a(?:.*b)?', replacement: ''"), () => ({ ts: 1, m: 'a'.repeat(2e6) }))
  },
  {
    name: 'dry run: long replacement',
    ...dryRun(hostile('gsub', `pattern: 'a', replacement: '${'x'.repeat(1000)}'`), () => ({
      ts: 1,
      m: 'a'.repeat(2e6)
    }))
  },
  {
    name: 'dry run: regular expression of many states',
    ...dryRun(hostile('regex', "pattern: '(?<g>(?:x{1,100}y?){1,10}z)'"), () => ({ ts: 1, m: 'xy'.repeat(2e6) }))
  },
  {
    name: 'lines through a regular expression',
    prepare: createPipeline('slow', hostile('regex', "pattern: '.*(?<a>[a-z]+)[0-9]+.*(?<b>[a-z]+)$'")),
    ...write('/v1/ingest?table=slow_lines&pipeline_name=slow', 'application/x-ndjson', () =>
      lines('{"ts":1700000000000,"m":"some line of text with a 4711 in its midst and more"}\n', 24 * MiB)
    )
  },
  {
    name: 'lines through a script',
    prepare: createPipeline('script', loops),
    ...write('/v1/ingest?table=script&pipeline_name=script', 'application/json', () =>
      JSON.stringify([{ ts: 1_700_000_000_000, list: Array(20_000).fill(0) }])
    )
  },
  {
    name: 'form of %ff',
    many: 2,
    send: target => send(target, '/v1/sql', { type: form, body: longForm() })
  },
  {
    name: 'form of broken signs within its limit',
    many: 2,
    send: target => send(target, '/v1/sql', { type: form, body: brokenForm() })
  },
  {
    name: 'query string of broken signs',
    many: 4,
    send: target => send(target, `/v1/sql?sql=${'%ffa&'.repeat(12_000)}`)
  },
  { name: 'SQL: long text', ...sql(() => `SELECT '${'x'.repeat(3 * MiB)}'`) },
  { name: 'SQL: half a million operators', ...sql(() => `SELECT 1${'+1'.repeat(500_000)}`, 2) },
  { name: 'SQL: a hundred thousand columns', ...sql(() => `SELECT ${'1,'.repeat(100_000)}1`, 2) },
  { name: 'SQL: as many columns as are allowed', ...sql(() => `SELECT ${'1,'.repeat(12_490)}1`, 2) },
  { name: 'SQL: as many operators as are allowed', ...sql(() => `SELECT 1${'+1'.repeat(490)}`, 2) },
  { name: 'SQL: a thousand unions', ...sql(() => `SELECT 1${' UNION ALL SELECT 1'.repeat(999)}`, 2) },
  { name: 'SQL: a hundred thousand statements', ...sql(() => 'SELECT 1;'.repeat(100_000), 2) },
  {
    name: 'SQL: a long INSERT',
    ...sql(() => `INSERT INTO inserted VALUES ${Array.from({ length: 9_000 }, (_, i) => `(${i},${i})`).join()}`, 2, {
      user: 'writer'
    }),
    prepare: target =>
      send(target, '/v1/sql', {
        user: 'writer',
        type: form,
        body: 'sql=CREATE TABLE inserted (v BIGINT, ts TIMESTAMP TIME INDEX)'
      })
  },
  { name: 'SQL: SHOW TABLES LIKE', ...sql(() => `SHOW TABLES LIKE '${'%_'.repeat(200_000)}b'`) },
  {
    name: 'SQL: cross join',
    ...sql(() => 'SELECT count(*) FROM range(1000000) a, range(1000000) b', 64, { patience: 5000 }),
    ingestWithin: 100
  },
  {
    name: 'SQL: long values',
    ...sql(() => "SELECT length(replace(repeat('x', 10000000), 'x', 'yyyyyyyyyyyyyyyyyyyy'))", 4)
  },
  {
    name: 'SQL: doubling lists',
    ...sql(() => "SELECT len(list_reduce(range(40), (a, b) -> a || a, [['x']]::VARCHAR[][]))", 2)
  },
  {
    name: 'SQL: distance of long texts',
    ...sql(() => "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))", 4, { patience: 5000 })
  },
  { name: 'SQL: deep JSON', ...sql(() => "SELECT json_structure(repeat('[', 100000) || repeat(']', 100000))", 2) },
  {
    name: 'PromQL: a million steps of matchers',
    many: 4,
    send: target =>
      send(target, '/v1/metricsys/api/v1/query_range', {
        type: form,
        body: new URLSearchParams({
          query: 'sum by (host) (rate({__name__=~"(a|b|c|honest.*)*"}[1h]))',
          start: '0',
          end: '2000000000',
          step: '200000'
        }).toString()
      })
  },
  {
    name: 'PromQL: repetitions of repetitions',
    many: 4,
    send: target =>
      send(target, '/v1/metricsys/api/v1/query', { type: form, body: `query=m{a=~"${'x{1000}'.repeat(5_000)}"}` })
  },
  {
    name: 'PromQL: thousands of expressions',
    many: 4,
    send: target =>
      send(target, '/v1/metricsys/api/v1/query', { type: form, body: `query=m{${'a!~"b.",'.repeat(6_000)}}` })
  },
  {
    name: 'PromQL: thousands of selectors',
    many: 4,
    send: target =>
      send(target, '/v1/metricsys/api/v1/series', { type: form, body: 'match[]=honest_points&'.repeat(5_000) })
  },
  {
    name: 'PromQL: long query',
    many: 4,
    send: target => send(target, '/v1/metricsys/api/v1/query', { type: form, body: `query=${'1%2B'.repeat(24_000)}1` })
  },
  {
    name: 'PromQL: a long number as the time',
    many: 2,
    send: target =>
      send(target, '/v1/metricsys/api/v1/query', { type: form, body: `query=1&time=${'1'.repeat(2 * MiB)}x` })
  },
  {
    name: 'PromQL: subqueries of millions of steps',
    many: 4,
    send: target =>
      send(target, '/v1/metricsys/api/v1/query', {
        type: form,
        body: `query=${encodeURIComponent('stddev_over_time((day_of_year(vector(time())) * 2)[5000000s:1s])')}`
      })
  },
  {
    name: 'SQL: TQL of white space',
    ...sql(() => `TQL EVAL (0, 1, '1s') a${' '.repeat(MiB - 1000)}b`, 2)
  },
  {
    name: 'NDJSON: 60 MB',
    ...write('/v1/ingest?table=many&pipeline_name=svc_identity', 'application/x-ndjson', () =>
      lines('{"a":1,"b":"text","c":[1,2,3]}\n', 60 * MiB)
    )
  },
  {
    name: 'JSON: five million values',
    ...write(
      '/v1/ingest?table=many&pipeline_name=svc_identity',
      'application/json',
      () => `[{"a":[${'1,'.repeat(4_900_000)}1]}]`
    )
  },
  {
    name: 'JSON: deep',
    ...write(
      '/v1/ingest?table=many&pipeline_name=svc_identity',
      'application/json',
      () => `{"a":${nested(10_000_000)}}`
    )
  },
  {
    name: 'line protocol: 60 MB',
    ...write('/v1/lineproto/write?precision=ms', 'text/plain', () =>
      lines('cpu,host=web-1,cpu=3 user=0.5,system=1.25,note="a text" 1700000000000\n', 60 * MiB)
    )
  },
  {
    name: 'line protocol: a tag of 1 MB',
    ...write('/v1/lineproto/write?precision=ms', 'text/plain', () => `long,host=${'x'.repeat(MiB)} v=1 1700000000000\n`)
  },
  {
    name: 'line protocol: ninety thousand tags',
    ...write('/v1/lineproto/write?precision=ms', 'text/plain', () => {
      const tags = Array.from({ length: 90_000 }, (_, i) => `t${i}=x`).join()
      return `many_tags,${tags} v=1 1700000000000\n`
    })
  },
  {
    name: 'line protocol: 10,000 new tables',
    many: 1,
    async send(target) {
      const from = tables
      tables += 10_000
      const body = Array.from({ length: 10_000 }, (_, i) => `new_${from + i} v=1 1700000000000\n`).join('')
      return send(target, '/v1/lineproto/write?precision=ms&db=scratch', { user: 'writer', type: 'text/plain', body })
    },
    prepare: target => send(target, '/v1/sql', { user: 'writer', type: form, body: 'sql=CREATE DATABASE scratch' })
  },
  {
    name: 'line protocol: 200,000 new series',
    many: 1,
    series: 200_000,
    async send(target) {
      const from = tables
      tables += 200_000
      const body = Array.from({ length: 200_000 }, (_, i) => `wide,id=${from + i} v=1 1700000000000\n`).join('')
      return send(target, '/v1/lineproto/write?precision=ms', { user: 'writer', type: 'text/plain', body })
    }
  },
  {
    name: 'put: 60 MB',
    ...write(
      '/v1/tsdbput/api/put',
      'application/json',
      () =>
        `[${lines('{"metric":"put","timestamp":1700000000,"value":1,"tags":{"host":"a"}},', 50 * MiB)}{"metric":"put","timestamp":1700000000,"value":1,"tags":{"host":"a"}}]`
    )
  },
  {
    name: 'events: 60 MB',
    ...write('/v1/eventcollector/services/collector/event?table=events', 'application/json', () =>
      lines('{"time":1700000000,"event":{"a":"b","c":[1,2]}}', 50 * MiB)
    )
  },
  {
    name: 'inflated: 60 MB from 2 kB',
    many: 100,
    send: target =>
      send(target, '/v1/ingest?table=bomb&pipeline_name=svc_identity', {
        user: 'writer',
        type: 'application/x-ndjson',
        body: zeros(),
        headers: { 'content-encoding': 'zstd' }
      })
  },
  { name: 'slow bodies of 60 MB', many: 32, send: slowBody },
  // Node reads 64 KiB of such requests in one go, and ends them in one go when the client leaves: some 40 ms of work a connection.
  { name: 'pipelined requests', many: 1, send: pipelined },
  { name: 'silent connections', many: 500, send: silent },
  { name: 'answers nobody reads', many: 16, send: unread },
  {
    name: 'wrong passwords',
    many: 8,
    send: target => send(target, '/v1/sql?sql=SELECT+1', { user: 'nobody', headers: { authorization: 'Basic eDp5' } })
  }
]

const longForm = once(() => `sql=${'%ff'.repeat(20 * MiB)}`)
const brokenForm = once(() => `sql=${'%ffa'.repeat(1_000_000)}`)

/** Announces a long body and sends a byte now and then. */
function slowBody(target: Target): Promise<string> {
  const head = `POST /v1/ingest?table=slow&pipeline_name=svc_identity HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization('writer')}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${60 * MiB}\r\n\r\n`
  return raw(target, head, 8000, ' ')
}

/** Sends thousands of requests before it has read an answer. */
function pipelined(target: Target): Promise<string> {
  return raw(target, 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000), 4000)
}

function silent(target: Target): Promise<string> {
  return raw(target, '', 8000)
}

/** Asks for millions of rows and leaves them where they are. */
function unread(target: Target): Promise<string> {
  const query = encodeURIComponent('SELECT i, repeat(chr(97), 1000) FROM range(2000000) t(i)')
  return raw(
    target,
    `GET /v1/sql?sql=${query} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization('reader')}\r\n\r\n`,
    8000
  )
}

/** Opens a connection, writes, and stays for a while without reading. */
async function raw({ url, signal }: Target, head: string, stay: number, drip?: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  let end = 'left'
  socket.on('error', error => {
    end = (error as NodeJS.ErrnoException).code ?? error.message
  })
  socket.on('close', () => {
    if (end === 'left') end = 'closed'
  })
  socket.pause()
  if (head !== '') socket.write(head)
  for (const until = Date.now() + stay; Date.now() < until && !socket.destroyed && !signal?.aborted; ) {
    await pause(500)
    if (drip !== undefined && !socket.destroyed) socket.write(drip)
  }
  const result = end
  socket.destroy()
  return result
}
