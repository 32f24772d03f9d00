// Large results of a real server: memory does not grow with them, and queries end when the client disconnects.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { slowness } from '../time.ts'
import { type ServerProcess, serverFolder, sql, startProcess } from './server.ts'

const MiB = 2 ** 20
/** What a result may add to the server's memory, however long it is. */
const allowance = 320 * MiB

async function startSmall(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await startProcess(t, serverFolder(t), { env })
  await sql(server, 'CREATE TABLE hosts (host STRING, at TIMESTAMP TIME INDEX, PRIMARY KEY (host))')
  await sql(server, "INSERT INTO hosts VALUES ('a', 1), ('b', 2)")
  return server
}

function ask(server: ServerProcess, statement: string, format: string, signal?: AbortSignal): Promise<Response> {
  const body = new URLSearchParams({ sql: statement })
  return fetch(`${server.url}/v1/sql?format=${format}`, { method: 'POST', body, ...(signal && { signal }) })
}

function memory({ pid }: ServerProcess, field: 'VmHWM' | 'VmRSS'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

/** Seconds of processor time, all threads of the server and of the process that runs its statements. */
function cpuSeconds({ pid }: ServerProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [String(pid), ...children].reduce((sum, process) => {
    const fields = readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) / 100
  }, 0)
}

async function spent(server: ServerProcess, milliseconds: number): Promise<number> {
  const before = cpuSeconds(server)
  await setTimeout(milliseconds)
  return cpuSeconds(server) - before
}

const [server, narrow] = await Promise.all([startSmall(), startSmall({ WEIR__MAX_CONCURRENT_QUERIES: '1' })])

t.test('a result of any length takes the same memory in every format that streams', async t => {
  const long = `SELECT host, n, n * 0.5 AS half, repeat('x', 1000) || n AS text, at FROM hosts, range(180000) r(n)`
  for (const format of ['csv', 'json', 'arrow']) {
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
    const before = memory(server, 'VmRSS')
    const response = await ask(server, long, format)
    t.equal(response.status, 200, format)
    let bytes = 0
    for await (const piece of response.body!) bytes += piece.length
    t.ok(bytes > allowance, `${format}: ${Math.round(bytes / MiB)} MiB were sent`)
    const grown = memory(server, 'VmHWM') - before
    t.ok(grown < allowance, `${format}: memory grew by ${Math.round(grown / MiB)} MiB`)
  }
})

t.test('a format that is laid out in memory refuses what is too long for it', async t => {
  const response = await ask(server, 'SELECT n FROM hosts, range(600000) r(n)', 'table')
  t.equal(response.status, 400)
  t.match(await response.text(), /takes at most 1000000 rows or 256 MiB: use limit or the format csv/)
})

t.test('a query rests while its client reads nothing, and ends with it', async t => {
  const gone = new AbortController()
  const endless = "SELECT host, n, 'a row without an end ' || n AS text FROM hosts, range(1000000000000) r(n)"
  const response = await ask(narrow, endless, 'csv', gone.signal)
  const reader = response.body!.getReader()
  await reader.read()
  await eventually(async () => (await spent(narrow, 700)) < 0.35)
  const before = memory(narrow, 'VmRSS')
  t.ok((await spent(narrow, 700)) < 0.35, 'it waits for the client')
  t.ok(memory(narrow, 'VmRSS') - before < 32 * MiB)
  gone.abort()
  const started = performance.now()
  t.same(await sql(narrow, 'SELECT count(*) FROM hosts'), [[2]], 'the only place of a query is free again')
  t.ok(performance.now() - started < 3000 * slowness())
  await eventually(async () => (await spent(narrow, 500)) < 0.25)
  t.pass('nothing runs any more')
})

t.test('a query that makes no row yet ends with its client', async t => {
  const gone = new AbortController()
  const silent = 'SELECT count(*) FROM range(100000000) a(i), range(100000000) b(j) WHERE (i * j) % 7 = 11'
  const asked = ask(narrow, silent, 'csv', gone.signal).catch((error: Error) => error.name)
  // Of 300 ms, on a busy machine less.
  await eventually(async () => (await spent(narrow, 300)) > 0.03)
  gone.abort()
  t.equal(await asked, 'AbortError')
  t.same(await sql(narrow, 'SELECT count(*) FROM hosts'), [[2]])
  await eventually(async () => (await spent(narrow, 500)) < 0.25)
  t.pass('nothing runs any more')
})
