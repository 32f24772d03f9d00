// PromQL over line protocol whose points come in order, and over the same points where some hosts' come a step late, as those of real agents do:
// medians of both, in milliseconds, and how many times as long the second takes; beside VictoriaMetrics on the same bodies.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { medianTime } from './median.ts'
import { peerKinds, withPeer } from './peer.ts'
import { durable, freePort, startBenchServer } from './server.ts'

/** Seconds between two points of a host, and when the first ones are from. */
const [interval, start] = [10, 1_700_000_000]
/** Of fifty hosts, how many are late. */
const lateHosts = 3
const runs = 5
/** Half seconds until what was written is there. */
const patience = 20

/** `select` names the field `usage` of the table `cpu`, with a matcher. */
type Select = (matcher: string) => string

const queries: Readonly<Record<string, (select: Select) => string>> = {
  'one host': select => select('host="h77"'),
  'sum by': select => `sum by (dc) (${select('')})`,
  'sum of rates': select => `sum by (dc) (rate(${select('')}[1m]))`,
  count: select => `count(${select('')})`
}

interface Target {
  readonly write: string
  readonly api: string
  readonly select: Select
  /** Rows go to files. */
  flush?(): Promise<unknown>
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '2000' },
      steps: { type: 'string', default: '180' },
      peers: { type: 'string', default: '' }
    }
  })
  const size = { hosts: Number(values.hosts), steps: Number(values.steps) }
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const own: Record<string, number>[] = []
    const peer: Record<string, number>[] = []
    for (const late of [0, lateHosts]) {
      own.push(await measureOwn(join(folder, `weir-${late}`), late, size))
      const kind = peerKinds.find(({ name }) => name === 'victoria-metrics')!
      const data = join(folder, `peer-${late}`)
      mkdirSync(data)
      const found = await withPeer(kind, values.peers, data, await freePort(), url =>
        measure(
          {
            write: new URL('/write', url).href,
            api: new URL('/api/v1', url).href,
            select: matcher => `cpu_usage{${matcher}}`
          },
          late,
          size
        )
      )
      if (found !== undefined) peer.push(found)
    }
    print('weir', own)
    if (peer.length > 0) print('victoria-metrics', peer)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Size = { readonly hosts: number; readonly steps: number }

async function measureOwn(folder: string, late: number, size: Size): Promise<Record<string, number>> {
  mkdirSync(folder)
  const config = join(folder, 'weir.toml')
  writeFileSync(config, durable)
  const server = await startBenchServer(config, join(folder, 'data'))
  const { url } = server
  try {
    const sql = `${url}/v1/sql?sql=${encodeURIComponent("ADMIN flush_table('cpu')")}`
    const flush = async () => (await fetch(sql)).text()
    const select: Select = matcher => `cpu{__field__="usage",${matcher}}`
    return await measure(
      { write: `${url}/v1/lineproto/write`, api: `${url}/v1/metricsys/api/v1`, select, flush },
      late,
      size
    )
  } finally {
    await server.kill('SIGTERM')
  }
}

async function measure(
  { write, api, select, flush }: Target,
  late: number,
  { hosts, steps }: Size
): Promise<Record<string, number>> {
  for (let step = 0; step < steps; step++) {
    const lines = Array.from({ length: hosts }, (_, host) => {
      const at = start + (step - (host % 50 < late ? 1 : 0)) * interval
      return `cpu,host=h${host},dc=d${host % 3} usage=${(host + step) % 100},idle=${host % 7} ${at}\n`
    })
    const { status } = await fetch(`${write}?precision=s`, { method: 'POST', body: lines.join('') })
    if (status !== 204) throw new Error(`a write was answered ${status}`)
    // So that half is in a file.
    if (step === steps >> 1) await flush?.()
  }
  const end = start + steps * interval
  const found: Record<string, number> = {}
  for (const [name, queryOf] of Object.entries(queries)) {
    const query = queryOf(select)
    const url = `${api}/query_range?query=${encodeURIComponent(query)}&start=${end - steps * interval}&end=${end}&step=30&nocache=1`
    const ask = async () => {
      const { data } = (await (await fetch(url)).json()) as { readonly data?: { readonly result: readonly unknown[] } }
      return data?.result.length ?? 0
    }
    // Some show rows a second or two after they took them.
    for (let tries = 0; (await ask()) === 0; tries++) {
      if (tries === patience) throw new Error(`${query} was answered without a series`)
      await pause(500)
    }
    found[name] = await medianTime(runs, async () => void (await ask()))
  }
  return found
}

function print(name: string, [inOrder, late]: readonly Record<string, number>[]): void {
  console.log(`${name.padEnd(18)} in order    late`)
  for (const query of Object.keys(queries)) {
    const [a, b] = [inOrder![query]!, late![query]!]
    console.log(
      `  ${query.padEnd(16)} ${a.toFixed(1).padStart(7)} ${b.toFixed(1).padStart(7)}   ${(b / a).toFixed(2)} times`
    )
  }
}
