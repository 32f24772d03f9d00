// Statements of users cannot harm the server, whatever they are.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { type ServerProcess, serverFolder, sql, startProcess } from './server.ts'

const MiB = 2 ** 20
const env = {
  WEIR__STORAGE__MEMORY_LIMIT: '256MiB',
  WEIR__STORAGE__QUERY_MEMORY_HARD_LIMIT: '640MiB',
  WEIR__STORAGE__QUERY_THREADS: '2',
  WEIR__HTTP__SHUTDOWN_GRACE: '3s'
}

const deep = "repeat('[', 100000) || repeat(']', 100000)"

/** Values whose memory DuckDB does not count, texts that crash it, functions that cannot be interrupted. */
const hostile: Readonly<Record<string, string>> = {
  'a list that doubles': `SELECT length(list_reduce(range(40)::VARCHAR[], lambda a, b: a || a, repeat('y', 100)))`,
  'a text that doubles': `SELECT length(replace(repeat('a', n), 'a', repeat('b', n))) FROM (SELECT 60000 + (random() * 2)::INT AS n)`,
  'a long text': `SELECT length(repeat('abcdefgh', n)) FROM (SELECT 500000000 + (random() * 2)::INT AS n)`,
  'a distance of long texts': `SELECT damerau_levenshtein(repeat('a', n), repeat('b', n)) FROM (SELECT 60000 + (random() * 2)::INT AS n)`,
  'a range from a subquery': `SELECT len(range(n)) FROM (SELECT 600000000 + (random() * 2)::BIGINT AS n)`,
  'the structure of deep JSON': `SELECT json_structure(x) FROM (SELECT ${deep} AS x)`,
  'the grouped structure of deep JSON': `SELECT json_group_structure(x) FROM (SELECT ${deep} AS x)`,
  'a deep patch': `SELECT json_merge_patch(x, x) FROM (SELECT repeat('{"a":', 100000) || '1' || repeat('}', 100000) AS x)`,
  'what deep JSON contains': `SELECT json_contains(x, '1') FROM (SELECT ${deep} AS x)`
}

const endless: Readonly<Record<string, string>> = {
  'a distance that takes hours': `SELECT levenshtein(repeat('ab', n), repeat('ba', n)) FROM (SELECT 400000 + (random() * 2)::INT AS n)`,
  'many wildcards': `SELECT repeat('a', n) ILIKE repeat('%a', 40) || 'b' FROM (SELECT 3000 + (random() * 2)::INT AS n)`
}

/** Resident bytes of the server and of all it started, and what these started. */
function residentOf({ pid }: ServerProcess): number {
  const tree = (id: string): number => childrenOf(id).reduce((sum, child) => sum + tree(child), resident(id))
  return tree(String(pid))
}

function childrenOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    // It has just ended.
    return []
  }
}

function resident(pid: string): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    // It has just ended.
    return 0
  }
}

async function post({ url }: ServerProcess, statement: string, signal?: AbortSignal) {
  const body = new URLSearchParams({ sql: statement })
  const answer = await fetch(`${url}/v1/sql`, { method: 'POST', body, ...(signal && { signal }) })
  return { status: answer.status, text: await answer.text() }
}

async function metric({ url }: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

t.test('statements beyond all limits are answered with an error, and the server goes on', async t => {
  const server = await startProcess(t, serverFolder(t), { env })
  await sql(server, 'CREATE TABLE a (ts TIMESTAMP TIME INDEX, v DOUBLE)')
  await sql(server, 'INSERT INTO a VALUES (1, 2)')
  const base = residentOf(server)
  let peak = 0
  let open = true
  const watch = (async () => {
    for (; open; await sleep(50)) peak = Math.max(peak, residentOf(server))
  })()
  for (const [name, statement] of Object.entries(hostile)) {
    const { status, text } = await post(server, statement)
    t.comment(`${name}: ${status} ${text.slice(0, 160)}`)
    t.ok(status === 200 || (status >= 400 && text.includes('"code"')), name)
    t.strictSame(await sql(server, 'SELECT v FROM a'), [[2]], `${name}: the next statement is answered`)
  }
  open = false
  await watch
  // What its memory grows by between two looks is not seen.
  t.ok(peak < base + (640 + 512) * MiB, `${Math.round(peak / MiB)} MiB at most`)
  t.ok(
    (await metric(server, 'svc_query_process_restarts_total{reason="memory"}')) > 0,
    'ends of the process are counted'
  )
  t.equal(await metric(server, 'svc_query_process_restarts_total{reason="died"}'), 0, 'no JSON crashes it')
  t.equal(await server.kill('SIGTERM'), 0)
})

t.test('a statement that cannot be cancelled ends with its client, with KILL and with the server', async t => {
  const server = await startProcess(t, serverFolder(t), { env })
  const [distance, wildcards] = Object.values(endless) as [string, string]
  const gone = new AbortController()
  const left = post(server, distance, gone.signal).catch((error: Error) => error.name)
  await sleep(500)
  gone.abort()
  t.equal(await left, 'AbortError')
  const killed = post(server, wildcards)
  const [running] = await eventually(
    () =>
      sql(
        server,
        "SELECT id FROM information_schema.process_list WHERE query LIKE '%ILIKE%' AND query NOT LIKE '%process_list%'"
      ),
    ([row]) => row !== undefined
  )
  await sql(server, `KILL '${running![0]}'`)
  t.not((await killed).status, 200)
  await eventually(async () => (await metric(server, 'svc_query_process_statements')) === 0)
  t.pass('nothing runs any more')
  const last = post(server, distance).catch(() => undefined)
  await sleep(500)
  const began = performance.now()
  t.equal(await server.kill('SIGTERM'), 0)
  t.ok(performance.now() - began < 60_000, 'it does not wait for a statement that takes hours')
  await last
})

t.test('many slow statements beside ingest', async t => {
  const server = await startProcess(t, serverFolder(t), { env })
  const slow = 'SELECT count(*) FROM range(100000000) a(i), range(100000000) b(j) WHERE (i * j) % 7 = 11'
  const gone = new AbortController()
  const asked = Array.from({ length: 64 }, () => post(server, slow, gone.signal).catch((error: Error) => error.name))
  await sleep(500)
  const times: number[] = []
  for (let i = 0; i < 100; i++) {
    const began = performance.now()
    const write = await fetch(`${server.url}/v1/lineproto/write?db=public`, { method: 'POST', body: `m,host=a v=${i}` })
    times.push(performance.now() - began)
    if (write.status !== 204) t.fail(`${write.status} ${await write.text()}`)
    const health = await fetch(`${server.url}/health`)
    if (!health.ok) t.fail(`health: ${health.status}`)
    await health.arrayBuffer()
  }
  times.sort((a, b) => a - b)
  t.comment(`ingest: median ${times[50]!.toFixed(1)} ms, p99 ${times[99]!.toFixed(1)} ms`)
  t.ok((await metric(server, 'svc_query_process_statements')) >= 64)
  gone.abort()
  for (const each of await Promise.all(asked)) t.equal(each, 'AbortError')
  t.strictSame(await sql(server, 'SELECT count(*) FROM m'), [[100]])
  t.equal(await server.kill('SIGTERM'), 0)
})
