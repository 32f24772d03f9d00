// Two front ends over one ClickHouse under mixed load for so long: both write and ask, tables and columns grow from both sides, connections to
// the cluster break, the cluster goes, front ends end and are killed. Then every answered row must be there once.
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../eventually.ts'
import { Random } from '../../process/chaos/random.ts'
import { type ServerProcess, serverFolder, startProcess } from '../../process/server.ts'
import { type Break, breakingProxy } from '../breaking-proxy.ts'
import { startClickHouse } from '../server.ts'
import { type Outcome, send } from './client.ts'
import { countStatement, kinds, type MixedRequest, mixedRequest, tableStatement } from './requests.ts'

export interface MixedResult {
  readonly requests: number
  readonly rows: number
  readonly queries: number
  /** What clients met on the way, and how often. */
  readonly met: ReadonlyMap<string, number>
  /** Requests whose rows are there more than once, of those that broke without an answer when a front end was killed. */
  readonly doubled: number
  readonly problems: readonly string[]
}

interface Options {
  readonly seconds: number
  readonly seed: number
  readonly report: (line: string) => void
}

/** Clients that write, and milliseconds between two of their requests. */
const writers = 6
const rhythm = 20

type Teardown = Parameters<typeof startClickHouse>[0]

export async function runMixed(t: Teardown, { seconds, seed, report }: Options): Promise<MixedResult> {
  const random = new Random(seed)
  const cluster = await startClickHouse(t)
  const proxies = [await proxyTo(t, cluster.url), await proxyTo(t, cluster.url)]
  const folders = proxies.map(({ url }) => serverFolder(t, tomlOf(url)))
  const start = (folder: string) => startProcess(t, folder, { env: { WEIR__STORAGE__ENGINE: 'clickhouse' } })
  /** As a supervisor does: one that meets a broken connection or a cluster that is away ends, and is started again. */
  const startAgain = async (folder: string) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await start(folder)
      } catch (error) {
        if (attempt === 5) throw error
        state.met.set('started in vain', (state.met.get('started in vain') ?? 0) + 1)
      }
    }
  }
  const fronts: ServerProcess[] = []
  for (const folder of folders) fronts.push(await start(folder))
  const urls = () => fronts.map(({ url }) => url)
  const state = newState()
  await expectOk(state, await send(urls, sqlTarget(tableStatement), 0), 'the table')
  const started = performance.now()
  const isOn = () => performance.now() - started < seconds * 1000 && state.problems.length < 20
  const write = async (writer: number) => {
    for (let own = 0; isOn(); own++) {
      const request = mixedRequest(state.next++, kinds[(writer + own) % kinds.length]!, random.between(1, 20))
      keep(state, request, await send(urls, request, random.between(0, 1)))
      await pause(rhythm)
    }
  }
  const ask = async (front: number) => {
    for (let own = 0; isOn(); own++) {
      const kind = kinds[own % kinds.length]!
      // Tables are there from the first answer on, at each front end.
      const table = [...state.requests.values()].findLast(each => each.kind === kind)?.table
      const least = table === undefined ? 0 : rowsOf(state, table)
      const target =
        own % 4 === 3
          ? promql
          : own % 4 === 2 && state.rows.has('mix_records')
            ? logs
            : table !== undefined && sqlTarget(`SELECT count() FROM ${table}`)
      if (!target) {
        await pause(rhythm)
        continue
      }
      const outcome = await send(urls, target, front)
      state.queries++
      meet(state, outcome)
      if (outcome.status !== 200) state.problems.push(`${target.path}: ${outcome.status} ${outcome.text}`)
      else if (target.path === '/v1/sql' && outcome.status === 200) {
        const found = countOf(outcome.text)
        if (found < least) state.problems.push(`${table} had ${found} rows when ${least} were answered`)
      }
      await pause(rhythm * 3)
    }
  }
  const breakConnections = async () => {
    const ways: readonly (Break | undefined)[] = [undefined, undefined, undefined, 'before', 'after', 'twice', 'parts']
    while (isOn()) {
      for (const proxy of proxies) proxy.break(random.pick(ways))
      await pause(random.between(30, 200))
    }
    for (const proxy of proxies) proxy.break(undefined)
  }
  const restart = async (front: number, signal: 'SIGTERM' | 'SIGKILL') => {
    const code = await fronts[front]!.kill(signal)
    if (signal === 'SIGTERM' && code !== 0) state.problems.push(`front end ${front} ended with ${code}`)
    fronts[front] = await startAgain(folders[front]!)
  }
  const away = async () => {
    for (const proxy of proxies) proxy.away(true)
    await pause(3000)
    for (const proxy of proxies) proxy.away(false)
  }
  const events: readonly (readonly [string, () => Promise<void>])[] = [
    ['front end 0 ends in order and starts again', () => restart(0, 'SIGTERM')],
    ['the cluster is away for 3 s', away],
    ['front end 1 is killed and starts again', () => restart(1, 'SIGKILL')],
    [
      'the cluster is killed and starts again',
      async () => {
        await cluster.stop()
        await cluster.start()
      }
    ],
    ['front end 1 ends in order and starts again', () => restart(1, 'SIGTERM')],
    ['front end 0 is killed and starts again', () => restart(0, 'SIGKILL')]
  ]
  const happen = async () => {
    const between = Math.min(20, seconds / (events.length + 1)) * 1000
    for (let n = 0; ; n++) {
      await pause(between)
      if (!isOn()) return
      const [name, work] = events[n % events.length]!
      report(`${Math.round((performance.now() - started) / 1000)} s: ${name}; ${state.requests.size} requests answered`)
      await work().catch(error => state.problems.push(`${name}: ${error}`))
    }
  }
  await Promise.all([
    ...Array.from({ length: writers }, (_, i) => write(i)),
    ask(0),
    ask(1),
    breakConnections(),
    happen()
  ])
  report('all faults end; counting')
  for (const front of fronts) {
    await eventually(
      async () => (await fetch(`${front.url}/ready`)).status,
      status => status === 200
    )
  }
  const doubled = await check(state, urls)
  const rows = [...state.requests.values()].reduce((sum, { items }) => sum + items, 0)
  return {
    requests: state.requests.size,
    rows,
    queries: state.queries,
    met: state.met,
    doubled,
    problems: state.problems
  }
}

interface State {
  next: number
  queries: number
  /** Those that were answered, by number. */
  readonly requests: Map<number, MixedRequest>
  readonly rows: Map<string, number>
  /** Requests of which a try broke without an answer. */
  readonly broken: Set<number>
  readonly met: Map<string, number>
  readonly problems: string[]
}

function newState(): State {
  const [requests, rows, broken] = [new Map(), new Map(), new Set<number>()]
  return { next: 1, queries: 0, requests, rows, broken, met: new Map(), problems: [] }
}

function rowsOf({ rows }: State, table: string): number {
  return rows.get(table) ?? 0
}

function keep(state: State, request: MixedRequest, outcome: Outcome): void {
  meet(state, outcome)
  const { id, kind, table, items } = request
  if (outcome.status < 200 || outcome.status > 299) {
    state.problems.push(`${kind}: ${outcome.status} after ${outcome.tries} tries: ${outcome.text}`)
    return
  }
  state.requests.set(id, { ...request, body: '' })
  state.rows.set(table, rowsOf(state, table) + items)
  if (outcome.broken > 0) state.broken.add(id)
}

function meet({ met }: State, { broken, refused }: Outcome): void {
  const add = (what: string, count: number) => count > 0 && met.set(what, (met.get(what) ?? 0) + count)
  add('broke without an answer', broken)
  for (const [status, count] of refused) add(`${status} with Retry-After`, count)
}

async function expectOk({ problems }: State, { status, text }: Outcome, what: string): Promise<void> {
  if (status !== 200) problems.push(`${what}: ${status} ${text}`)
}

/** Each front end finds the rows that were acknowledged. Returns the number of requests with duplicate rows that are allowed. */
async function check(state: State, urls: () => readonly string[]): Promise<number> {
  const byTable = Map.groupBy(state.requests.values(), ({ table }) => table)
  let doubled = 0
  for (const [at, url] of urls().entries()) {
    for (const [table, requests] of byTable) {
      const { status, text } = await send(() => [url], sqlTarget(countStatement(requests[0]!.kind, table)), 0)
      if (status !== 200) {
        state.problems.push(`${table} at front end ${at}: ${status} ${text}`)
        continue
      }
      const found = new Map(recordsOf(text).map(([request, rows, items]) => [request!, { rows: rows!, items: items! }]))
      for (const { id, items } of requests) {
        const there = found.get(id)
        if (there === undefined || there.items < items)
          state.problems.push(`${table}, request ${id}: ${there?.items ?? 0} of ${items} rows at front end ${at}`)
        else if (there.rows !== items) {
          if (state.broken.has(id)) doubled += at === 0 ? 1 : 0
          else state.problems.push(`${table}, request ${id}: ${there.rows} rows for ${items} at front end ${at}`)
        }
      }
      const unknown = [...found.keys()].filter(id => !state.requests.has(id))
      if (unknown.length > 0) state.problems.push(`${table} has rows of ${unknown.length} requests nobody was told of`)
    }
  }
  return doubled
}

const promql = { path: '/v1/metricsys/api/v1/query?query=sum(mix_samples_0)&time=1' }
const logs = {
  path: '/v1/logs',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ table: 'mix_records', limit: { fetch: 5 } })
}

function sqlTarget(sql: string) {
  return {
    path: '/v1/sql',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ sql }).toString()
  }
}

function recordsOf(text: string): number[][] {
  const { output } = JSON.parse(text) as { readonly output: readonly { readonly records: { rows: unknown[][] } }[] }
  return output[0]!.records.rows.map(row => row.map(Number))
}

function countOf(text: string): number {
  return recordsOf(text)[0]![0]!
}

function tomlOf(url: string): string {
  return `[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
}

function proxyTo(t: Teardown, url: string) {
  return breakingProxy(t, Number(new URL(url).port))
}
