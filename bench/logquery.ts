// Log queries over many lines: milliseconds of each, and the memory they take on top of the server's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../core/index.ts'
import { start } from '../core/start.ts'
import { catalogue } from '../plugins/index.ts'
import { loadLines, rowsPerWrite } from './search.ts'

const runs = 5

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string', default: '10000000' }, folder: { type: 'string' } }
  })
  const rows = Math.ceil(Number(values.rows) / rowsPerWrite) * rowsPerWrite
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'weir-bench-'))
  const overrides = {
    http: { addr: '127.0.0.1:0' },
    storage: { data_home: folder },
    logging: { append_stdout: false, max_log_files: 0 }
  }
  const { sql, admin, logquery } = catalogue
  const server = await start(loadConfig({ overrides }).config, { sql: sql!, admin: admin!, logquery: logquery! })
  try {
    const { seconds, dataBytes, indexBytes } = await loadLines(server, folder, 'indexed', rows)
    const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
    console.log(
      `${rows} lines in ${seconds.toFixed(1)} s, ${mebibytes(dataBytes)} of data, ${mebibytes(indexBytes)} of indexes`
    )
    console.log(`  ${'query'.padEnd(40)}${'rows'.padStart(7)}${'ms'.padStart(9)}${'memory'.padStart(10)}`)
    for (const [name, query] of queries(rows)) await printQuery(server.addresses.main, name, query)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const column = (name: string) => ({ NamedIdent: name })
const message = (...filters: unknown[]) => ({ Single: { expr: column('message'), filters } })
const count = (by: string) => ({
  AggrFunc: { expr: [{ name: 'count', args: [], alias: 'n' }], by: [column(by)] }
})
const busiest = { order_by: [{ expr: column('n'), order: 'desc' }], limit: { fetch: 10 } }

/** Lines come every 3 ms from the first of January on; the rare word stands in one after a quarter of them, half, three quarters. */
function queries(rows: number): readonly (readonly [string, Record<string, unknown>])[] {
  const middle = Date.UTC(2026, 0, 1) + (rows / 2) * 3
  const hour = { time_filter: { start: new Date(middle - 1_800_000).toISOString(), span: '1h' } }
  return [
    ['Contains of a rare word in an hour', { filters: message({ Contains: 'quorum' }), ...hour }],
    ['Contains of a rare word', { filters: message({ Contains: 'quorum' }) }],
    ['Matches of a rare word', { filters: message({ Matches: 'quorum' }) }],
    ['  with five lines before and after', { filters: message({ Matches: 'quorum' }), context: { Lines: [5, 5] } }],
    ['Regex in an hour', { filters: message({ Regex: '(?i)rejected: +quorum' }), ...hour }],
    ['count by level', { exprs: [count('level')] }],
    ['top 10 services', { exprs: [count('service')], ...busiest }],
    ['top 10 services of an hour', { exprs: [count('service')], ...busiest, ...hour }],
    ['newest 1000 with a phrase', { filters: message({ Matches: '"answered after 42 ms"' }) }],
    ['count of the phrase', { filters: message({ Matches: '"answered after 42 ms"' }), exprs: [count('level')] }],
    ['newest 1000 lines', {}],
    ['newest 1000 errors', { filters: { Single: { expr: column('level'), filters: [{ Exact: 'error' }] } } }]
  ]
}

async function printQuery(url: string, name: string, query: Record<string, unknown>): Promise<void> {
  const times: number[] = []
  let rows = 0
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    const body = JSON.stringify({ table: 'indexed', ...query })
    const response = await fetch(`${url}/v1/logs`, { method: 'POST', body })
    const { error, output } = (await response.json()) as {
      error?: string
      output?: [{ records: { rows: unknown[][] } }]
    }
    if (output === undefined) throw new Error(`${name}: ${error}`)
    times.push(performance.now() - started)
    rows = output[0].records.rows.length
  }
  clearInterval(watch)
  const median = times.toSorted((a, b) => a - b)[Math.floor(runs / 2)]!
  const memory = `${Math.round((most - before) / 2 ** 20)} MiB`
  console.log(
    `  ${name.padEnd(40)}${String(rows).padStart(7)}${median.toFixed(1).padStart(9)}${memory.padStart(10)}   (${Math.round(most / 2 ** 20)} MiB in all)`
  )
}
