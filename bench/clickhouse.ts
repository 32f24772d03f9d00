// What the ClickHouse engine costs: the same requests to a front end over ClickHouse, to the embedded engine, and the Arrow streams the front end
// made sent to ClickHouse without it; then questions. ClickHouse is chdb in a process of its own on this machine, unless CLICKHOUSE_URL names
// one: chdb answers one request after the other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { answeringProxy } from '../test/clickhouse/answering-proxy.ts'
import { type ClickHouseServer, needingClickHouse, startClickHouse } from '../test/clickhouse/server.ts'
import { type Job, jobsOf, type Question, questions } from './clickhouse-jobs.ts'
import { load } from './load-process.ts'
import { medianTime } from './median.ts'
import { whole } from './print.ts'
import { type BenchServer, durable, startBenchServer } from './server.ts'

const connections = 4
const runs = 5

/** An insert as a front end sent it. */
interface Insert {
  readonly url: string
  readonly body: Uint8Array
}

interface Ingested {
  readonly rate: number
  /** Microseconds of the server's processor time for each item. */
  readonly cpu: number
}

interface Asked {
  readonly embedded: number
  readonly clickhouse: number
  /** The same statement, without Weir. */
  readonly direct?: number
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { samples: { type: 'string', default: '2000000' }, lines: { type: 'string', default: '500000' } }
  })
  const { skip } = needingClickHouse()
  if (skip !== false) throw new Error(skip)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const ends: (() => unknown)[] = []
  const t = { teardown: (work: () => unknown) => void ends.push(work) }
  try {
    const jobs = jobsOf(folder, Number(values.samples), Number(values.lines))
    const cluster = await startClickHouse(t)
    const [embedded, front] = [await startEmbedded(folder), await startFront(folder, cluster, 'weir_', cluster.url)]
    const own = await ingestAll(embedded, jobs)
    const through = await ingestAll(front, jobs)
    const direct = await replay(t, folder, cluster, jobs)
    printIngest(jobs, own, through, direct)
    const asked: Asked[] = []
    for (const question of questions) asked.push(await ask(question, embedded, front, cluster))
    printQuestions(asked)
    for (const server of [embedded, front]) await server.kill('SIGTERM')
  } finally {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

function startEmbedded(folder: string): Promise<BenchServer> {
  const file = join(folder, 'embedded.toml')
  writeFileSync(file, durable)
  return startBenchServer(file, join(folder, 'embedded'))
}

function startFront(folder: string, cluster: ClickHouseServer, prefix: string, url: string): Promise<BenchServer> {
  const file = join(folder, `${prefix}.toml`)
  const password = join(folder, 'password')
  writeFileSync(password, cluster.password)
  const keys = { urls: [url], username: cluster.username, password_file: password, database_prefix: prefix }
  const lines = Object.entries(keys).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  writeFileSync(file, `${durable}[storage]\nengine = "clickhouse"\n[storage.clickhouse]\n${lines.join('\n')}\n`)
  return startBenchServer(file, join(folder, prefix))
}

async function ingestAll(server: BenchServer, jobs: readonly Job[]): Promise<Ingested[]> {
  const found: Ingested[] = []
  for (const { path, file, items } of jobs) {
    const before = server.cpuSeconds()
    const { seconds } = await load(server.url + path, file, connections)
    found.push({ rate: items / seconds, cpu: ((server.cpuSeconds() - before) / items) * 1e6 })
  }
  return found
}

/** Items a second when the streams a front end makes of the requests go to ClickHouse as they are, into tables that are empty again. */
async function replay(
  t: { teardown(work: () => unknown): void },
  folder: string,
  cluster: ClickHouseServer,
  jobs: readonly Job[]
): Promise<number[]> {
  let inserts: Insert[] = []
  const url = await answeringProxy(t, cluster.url, (sql, seen) => {
    if (/^INSERT INTO \S+ \(.* FORMAT ArrowStream$/.test(sql)) inserts.push({ url: seen.url, body: seen.body })
    return undefined
  })
  const front = await startFront(folder, cluster, 'replay_', url)
  const rates: number[] = []
  for (const { path, file, items } of jobs) {
    inserts = []
    await load(front.url + path, file, connections)
    const sent = inserts
    const tables = new Set(
      sent.map(({ url }) => /INTO\s+(\S+)/.exec(new URL(url, cluster.url).searchParams.get('query')!)![1]!)
    )
    for (const table of tables) await tell(cluster, `TRUNCATE TABLE ${table}`)
    const started = performance.now()
    await inParallel(sent, insert => insertAgain(cluster, insert))
    rates.push(items / ((performance.now() - started) / 1000))
  }
  await front.kill('SIGTERM')
  return rates
}

async function insertAgain(cluster: ClickHouseServer, { url, body }: Insert): Promise<void> {
  const to = new URL(url, cluster.url)
  to.searchParams.delete('insert_deduplication_token')
  to.searchParams.delete('query_id')
  await post(to, cluster, Uint8Array.from(body))
}

/** As many at a time as connections load. */
async function inParallel<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  let next = 0
  const drive = async () => {
    while (next < all.length) await work(all[next++]!)
  }
  await Promise.all(Array.from({ length: connections }, drive))
}

async function ask(
  { body, path, direct }: Question,
  own: BenchServer,
  front: BenchServer,
  cluster: ClickHouseServer
): Promise<Asked> {
  const by = (server: BenchServer) => medianTime(runs, () => request(server.url + path, body, path))
  return {
    embedded: await by(own),
    clickhouse: await by(front),
    ...(direct !== undefined && { direct: await medianTime(runs, () => tell(cluster, `${direct} FORMAT JSONCompact`)) })
  }
}

async function request(url: string, body: string, path: string): Promise<void> {
  const init =
    path === '/v1/sql'
      ? { method: 'POST', body: new URLSearchParams({ sql: body }) }
      : path === '/v1/logs'
        ? { method: 'POST', body, headers: { 'content-type': 'application/json' } }
        : {}
  const answer = await fetch(url, init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${body}: ${answer.status} ${text}`)
}

function tell(cluster: ClickHouseServer, sql: string): Promise<void> {
  const url = new URL(cluster.url)
  url.searchParams.set('query', sql)
  return post(url, cluster)
}

async function post(url: URL, { username, password }: ClickHouseServer, body?: Uint8Array<ArrayBuffer>): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(url, { method: 'POST', headers: { authorization }, ...(body !== undefined && { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}

function printIngest(
  jobs: readonly Job[],
  own: readonly Ingested[],
  through: readonly Ingested[],
  direct: readonly number[]
): void {
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]!.model}); ClickHouse is ${clusterName()}\n`
  )
  console.log(
    '| items a second | embedded engine | ClickHouse | its streams sent without Weir | wall time through Weir | front end, µs an item |'
  )
  console.log('|---|---|---|---|---|---|')
  for (const [i, { name }] of jobs.entries()) {
    const [a, b, c] = [own[i]!, through[i]!, direct[i]!]
    const cells = [name, whole(a.rate), whole(b.rate), whole(c), `${(c / b.rate).toFixed(2)} ×`, b.cpu.toFixed(2)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

function printQuestions(asked: readonly Asked[]): void {
  console.log(`\n| ms, median of ${runs} | embedded engine | ClickHouse | the same without Weir | to embedded |`)
  console.log('|---|---|---|---|---|')
  for (const [i, { embedded, clickhouse, direct }] of asked.entries()) {
    const cells = [
      questions[i]!.name,
      embedded.toFixed(1),
      clickhouse.toFixed(1),
      direct?.toFixed(1) ?? '',
      `${(clickhouse / embedded).toFixed(1)} ×`
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

function clusterName(): string {
  return process.env['CLICKHOUSE_URL'] === undefined ? 'chdb, in one process on the same machine' : 'a server'
}
