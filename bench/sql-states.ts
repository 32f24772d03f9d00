// The ten questions of `bench -- sql` in the states a server lives in, beside InfluxDB 1 (`--influxd PROGRAM`) in the same state: all rows come
// over HTTP to both. Prints a table of states × questions: medians in milliseconds, ours / theirs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { columns, createFleet, type Fleet, step } from './fleet/corpus.ts'
import { type Influxdb, startInfluxdb } from './fleet/influxdb.ts'
import { type QuestionKind, questions } from './fleet/queries.ts'
import { treeMiB } from './process-tree.ts'
import { type BenchServer, startBenchServer } from './server.ts'
import { askWeir, countRows, countValues, median } from './sql.ts'

const roundsPerWrite = 20
/** Nothing is flushed unless it is asked for. */
const config = `[logging]
level = "warn"
append_stdout = false
[storage]
memtable_size = "4GiB"
memtable_limit = "6GiB"
flush_interval = "1h"
`

interface Both {
  server: BenchServer
  peer: Influxdb | undefined
  readonly restart: () => Promise<void>
}

interface Figure {
  readonly own: number
  readonly other: number | undefined
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '100' },
      hours: { type: 'string', default: '12' },
      runs: { type: 'string', default: '7' },
      warm: { type: 'string', default: '2' },
      states: { type: 'string', default: 'fresh,idle,live,flushing,restarted' },
      influxd: { type: 'string' }
    }
  })
  const hosts = Number(values.hosts)
  const rounds = Math.round((Number(values.hours) * 3_600_000) / step)
  const runs = { runs: Number(values.runs), warm: Number(values.warm) }
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const both = await start(folder, values.influxd)
    const fleet = createFleet(hosts, rounds)
    for (let at = 0; at < rounds; at += roundsPerWrite) await write(both, fleet, Math.min(roundsPerWrite, rounds - at))
    console.log(`${(hosts * rounds).toLocaleString('en-US')} rows of ${hosts} hosts`)
    const kinds = questions(hosts, rounds)
    const table = new Map<string, Figure[]>()
    const states = values.states.split(',')
    for (const state of states) {
      const stop = await enter(state, both, fleet)
      const figures: Figure[] = []
      for (const kind of kinds) figures.push(await compare(kind, both, runs))
      await stop()
      table.set(state, figures)
      const theirs = both.peer === undefined ? '' : `, influxdb ${Math.round(treeMiB(both.peer.pid))} MiB`
      console.log(`${state}: ${Math.round(treeMiB(both.server.pid))} MiB${theirs}`)
    }
    print(kinds, table)
    await both.peer?.stop()
    await both.server.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(folder: string, program: string | undefined): Promise<Both> {
  const [file, data, peerFolder] = [join(folder, 'weir.toml'), join(folder, 'data'), join(folder, 'influxdb')]
  writeFileSync(file, config)
  mkdirSync(peerFolder)
  const startBoth = async () => ({
    server: await startBenchServer(file, data),
    peer: program === undefined ? undefined : await startInfluxdb(program, peerFolder)
  })
  const both: Both = {
    ...(await startBoth()),
    async restart() {
      await Promise.all([both.server.kill('SIGTERM'), both.peer?.stop()])
      Object.assign(both, await startBoth())
    }
  }
  const definitions = columns.map(({ name, semantic }) => {
    const type = semantic === 'tag' ? 'STRING' : semantic === 'field' ? 'DOUBLE' : 'TIMESTAMP(3) TIME INDEX'
    return `${name} ${type}`
  })
  const keys = columns.filter(({ semantic }) => semantic === 'tag').map(({ name }) => name)
  await askWeir(both.server, `CREATE TABLE cpu (${definitions.join(', ')}, PRIMARY KEY (${keys.join(', ')}))`)
  return both
}

/** The next rounds of all hosts, to both. */
async function write({ server, peer }: Both, fleet: Fleet, rounds: number): Promise<void> {
  const lines = fleet.next(rounds).lines()
  const own = async () => {
    const reply = await fetch(`${server.url}/v1/lineproto/write?precision=ms`, { method: 'POST', body: lines })
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
  }
  await Promise.all([own(), peer?.write(lines)])
}

/** Brings both servers into a state; what it returns ends it. */
async function enter(state: string, both: Both, fleet: Fleet): Promise<() => Promise<void>> {
  if (state === 'idle') await new Promise(resolve => setTimeout(resolve, 20_000))
  if (state === 'restarted') await both.restart()
  if (state !== 'live' && state !== 'flushing') return async () => {}
  let ended = false
  const work = (async () => {
    while (!ended) {
      const next = performance.now() + 1000
      await write(both, fleet, 1)
      if (state === 'flushing') await askWeir(both.server, "ADMIN flush_table('cpu')")
      await new Promise(resolve => setTimeout(resolve, Math.max(0, next - performance.now())))
    }
  })()
  return async () => {
    ended = true
    await work
  }
}

/** Both servers in turns, the same questions, the first ones uncounted. */
async function compare(
  { name, make }: QuestionKind,
  { server, peer }: Both,
  { runs, warm }: { readonly runs: number; readonly warm: number }
): Promise<Figure> {
  const own: number[] = []
  const other: number[] = []
  for (let i = -warm; i < runs; i++) {
    const { sql, influx } = make(i + warm)
    const began = performance.now()
    const rows = countRows(await askWeir(server, sql))
    const between = performance.now()
    const answer = await peer?.ask(influx)
    const ended = performance.now()
    if (answer !== undefined && countValues(answer) !== rows)
      throw new Error(`${name}: ${rows} rows, influxdb has ${countValues(answer)}\n${sql}`)
    if (i < 0) continue
    own.push(between - began)
    if (answer !== undefined) other.push(ended - between)
  }
  return { own: median(own), other: other.length === 0 ? undefined : median(other) }
}

/** `!` where we are more than 5 ms behind. */
function print(kinds: readonly QuestionKind[], table: ReadonlyMap<string, readonly Figure[]>): void {
  console.log(`| question | ${[...table.keys()].join(' | ')} |\n|---|${'---|'.repeat(table.size)}`)
  for (const [i, { name }] of kinds.entries()) {
    const cells = [...table.values()].map(figures => {
      const { own, other } = figures[i]!
      if (other === undefined) return own.toFixed(1)
      return `${own.toFixed(1)} / ${other.toFixed(1)}${own > other + 5 ? ' !' : ''}`
    })
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
}
