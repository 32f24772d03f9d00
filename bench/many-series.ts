// What the first questions cost that meet very many series: SQL and PromQL about a few of them, then about all, while rows are in memory and again
// after a restart; milliseconds of the first and of the second time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchServer, durable, memoryParts, startBenchServer } from './server.ts'

/** Series of one host, and of one body. */
const [devices, bodySeries] = [100, 50_000]
const time = 1_700_000_000_000

const sql = (text: string) => `/v1/sql?sql=${encodeURIComponent(text)}`
const promql = (query: string) =>
  `/v1/metricsys/api/v1/query?time=${time / 1_000 + 10}&query=${encodeURIComponent(query)}`

/** Each is asked twice. */
const questions: readonly (readonly [string, string])[] = [
  ['SQL, one host', sql("SELECT count(*), max(v) FROM wide WHERE host = 'h77'")],
  ['PromQL, one host', promql('wide{host="h78"}')],
  ['SQL, every host', sql('SELECT host, max(v) FROM wide GROUP BY host ORDER BY host LIMIT 1')],
  ['PromQL, a count of all', promql('count(wide)')]
]

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { series: { type: 'string', default: '1000000' } } })
  const series = Number(values.series)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const config = join(folder, 'weir.toml')
  writeFileSync(config, `${durable}\n[limits]\nmax_series = ${2 * series}\n`)
  const start = () => startBenchServer(config, join(folder, 'data'))
  try {
    const server = await start()
    for (let from = 0; from < series; from += bodySeries) {
      const lines = Array.from({ length: Math.min(bodySeries, series - from) }, (_, i) => {
        const host = Math.floor((from + i) / devices)
        return `wide,host=h${host},device=d${(from + i) % devices},region=eu v=1 ${time}\n`
      })
      await request(server, '/v1/lineproto/write?precision=ms', lines.join(''))
    }
    await ask(server, 'live')
    await server.kill('SIGTERM')
    const again = await start()
    await ask(again, 'restarted')
    await again.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ask(server: BenchServer, state: string): Promise<void> {
  console.log(`${state.padEnd(26)}   first   second`)
  for (const [name, path] of questions) {
    const [first, second] = [await request(server, path), await request(server, path)]
    console.log(`  ${name.padEnd(24)} ${first.toFixed(0).padStart(7)}  ${second.toFixed(0).padStart(7)}`)
  }
  console.log(`  memory, MB: ${await memoryParts(server)}`)
}

/** Milliseconds until the answer is whole. */
async function request({ url }: BenchServer, path: string, body?: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(url + path, body === undefined ? {} : { method: 'POST', body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text.slice(0, 200)}`)
  return performance.now() - started
}
