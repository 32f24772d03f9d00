// Log queries over many lines: milliseconds of each, and the memory they take on top of the server's.
import { mebibytes } from './print.ts'
import { loadLines, withServer } from './search.ts'

const runs = 5

export function main(args: string[]): Promise<void> {
  return withServer(args, ['sql', 'admin', 'logquery'], async ({ server, folder, rows }) => {
    const { seconds, dataBytes, indexBytes } = await loadLines(server, folder, 'indexed', rows)
    console.log(
      `${rows} lines in ${seconds.toFixed(1)} s, ${mebibytes(dataBytes)} of data, ${mebibytes(indexBytes)} of indexes`
    )
    console.log(`  ${'query'.padEnd(40)}${'rows'.padStart(7)}${'ms'.padStart(9)}${'memory'.padStart(10)}`)
    for (const [name, query] of queries(rows)) await printQuery(server.addresses.main, name, query)
  })
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
  const memory = mebibytes(most - before)
  console.log(
    `  ${name.padEnd(40)}${String(rows).padStart(7)}${median.toFixed(1).padStart(9)}${memory.padStart(10)}   (${mebibytes(most)} in all)`
  )
}
