// Searching log lines with and without a full-text index: how fast the lines go in, what the indexes take, and what a search reads.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { internalContext, loadConfig, parseColumnIndex } from '../core/index.ts'
import { type Running, start } from '../core/start.ts'
import { catalogue } from '../plugins/index.ts'
import { mebibytes, whole } from './print.ts'
import { logJob, type RowJob } from './storage-rows.ts'

const rowsPerWrite = 5000
const writers = 2
/** In so many lines stands the rare word, far from one another. */
const rareLines = 3

interface Load {
  readonly table: string
  readonly seconds: number
  readonly flushRate: number
  readonly indexRate: number | undefined
  readonly dataBytes: number
  readonly indexBytes: number
}

export interface Lines {
  readonly server: Running
  readonly folder: string
  readonly rows: number
}

/** Runs work on a server with these plugins; `--rows` and `--folder` say how many lines there shall be, and where. */
export async function withServer(
  args: string[],
  plugins: readonly string[],
  work: (lines: Lines) => Promise<void>
): Promise<void> {
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
  const chosen = Object.fromEntries(plugins.map(name => [name, catalogue[name]!]))
  const server = await start(loadConfig({ overrides }).config, chosen)
  try {
    await work({ server, folder, rows })
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export function main(args: string[]): Promise<void> {
  return withServer(args, ['sql', 'admin'], async ({ server, folder, rows }) => {
    const loads = [await loadLines(server, folder, 'plain', rows), await loadLines(server, folder, 'indexed', rows)]
    printLoads(rows, loads)
    await printSearches(server)
  })
}

function makeJob(rows: number): RowJob {
  const apart = Math.floor(rows / (rareLines + 1))
  const special = (row: number) =>
    row > 0 && row % apart === 0 && row / apart <= rareLines ? `Payment ${row} was rejected: quorum lost` : undefined
  return logJob(rows, rowsPerWrite, special)
}

/** Fills a table and waits until all of it is in merged files with their indexes. */
export async function loadLines({ core }: Running, folder: string, name: string, rows: number): Promise<Load> {
  const job = makeJob(rows)
  const ctx = internalContext(core, 'bench')
  const indexes = {
    message: parseColumnIndex('fulltext', {}, 'String'),
    trace_id: parseColumnIndex('skipping', {}, 'String')
  }
  const columns = job.columns.map(column => ({
    ...column,
    ...(name === 'indexed' && column.name in indexes && { index: indexes[column.name as keyof typeof indexes] })
  }))
  await core.store.createTable(ctx, { database: 'public', name, columns, options: job.options }, 'refuse')
  const table = core.store.table('public', name)!
  const before = await metrics(core)
  const started = performance.now()
  let next = 0
  const write = async () => {
    while (next < job.writes) {
      await core.store.write(ctx, [{ table: name, ...job.batch(next++) }])
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  await core.store.maintain(ctx, { kind: 'flush', table })
  const seconds = (performance.now() - started) / 1000
  const flushed = await metrics(core)
  await core.store.maintain(ctx, { kind: 'compact', table })
  const files = () => namesOf(join(folder, 'data'), `${name}-`)
  while (name === 'indexed' && files().some(file => file.endsWith('.parquet') && !files().includes(`${file}.idx`))) {
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  const after = await metrics(core)
  return {
    table: name,
    seconds,
    flushRate: rows / (flushed.flushSeconds - before.flushSeconds),
    indexRate:
      name === 'plain'
        ? undefined
        : (after.indexedRows - before.indexedRows) / (after.indexSeconds - before.indexSeconds),
    dataBytes: core.store.statistics(table).bytes,
    indexBytes: folderBytes(join(folder, 'data'), `${name}-`, '.idx')
  }
}

interface Counts {
  readonly flushSeconds: number
  readonly indexSeconds: number
  readonly indexedRows: number
  readonly read: number
  readonly skipped: number
}

async function metrics(core: Running['core']): Promise<Counts> {
  const text = await core.metrics.expose()
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0)
  return {
    flushSeconds: value('svc_storage_flush_seconds_sum'),
    indexSeconds:
      value('svc_storage_index_seconds_sum\\{kind="counts"\\}') +
      value('svc_storage_index_seconds_sum\\{kind="filters"\\}'),
    indexedRows: value('svc_storage_indexed_rows_total'),
    read: value('svc_storage_index_groups_total\\{result="read"\\}'),
    skipped: value('svc_storage_index_groups_total\\{result="skipped"\\}')
  }
}

function namesOf(dir: string, part: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => name.includes(part))
}

function folderBytes(dir: string, part: string, ending: string): number {
  const names = namesOf(dir, part).filter(name => name.endsWith(ending))
  return names.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
}

function printLoads(rows: number, loads: readonly Load[]): void {
  console.log(`${whole(rows)} lines each`)
  for (const { table, seconds, flushRate, indexRate, dataBytes, indexBytes } of loads) {
    const index = indexRate === undefined ? '' : `, indexed ${whole(indexRate)} lines/s beside it`
    console.log(
      `  ${table.padEnd(9)}${whole(rows / seconds)} lines/s in and flushed, flush ${whole(flushRate)} lines/s${index}`
    )
    const extra = indexBytes === 0 ? '' : `, indexes ${(indexBytes / rows).toFixed(1)} (${mebibytes(indexBytes)})`
    console.log(`  ${''.padEnd(9)}${(dataBytes / rows).toFixed(1)} bytes a line (${mebibytes(dataBytes)})${extra}`)
  }
}

const searches: readonly (readonly [name: string, where: string])[] = [
  ['rare term', "matches_term(message, 'quorum')"],
  ['term in no line', "matches(message, 'deadlock')"],
  ['rare AND common', "matches(message, 'quorum AND Payment')"],
  ['phrase everywhere', `matches(message, '"answered after 42 ms"')`],
  ['common term', "matches(message, 'cart')"],
  ['one trace', 'trace_id = (one)'],
  ['substring (no search)', "message LIKE '%quorum%'"]
]

async function printSearches({ core, addresses }: Running): Promise<void> {
  const [[trace] = []] = await ask(addresses.main, "SELECT trace_id FROM plain WHERE message LIKE '%quorum%' LIMIT 1")
  console.log(
    `  ${'search'.padEnd(24)}${'rows'.padStart(9)}${'plain'.padStart(11)}${'indexed'.padStart(11)}${'ratio'.padStart(8)}   row groups read`
  )
  for (const [name, written] of searches) {
    const where = written.replace('(one)', `'${trace}'`)
    const plain = await measure(addresses.main, `SELECT count(*) FROM plain WHERE ${where}`)
    const before = await metrics(core)
    const indexed = await measure(addresses.main, `SELECT count(*) FROM indexed WHERE ${where}`)
    const after = await metrics(core)
    if (plain.rows !== indexed.rows) throw new Error(`${name}: ${indexed.rows} rows instead of ${plain.rows}`)
    const read = (after.read - before.read) / indexed.runs
    const all = read + (after.skipped - before.skipped) / indexed.runs
    const groups = all === 0 ? 'all' : `${whole(read)} of ${whole(all)}`
    const times = [plain, indexed].map(({ milliseconds }) => `${milliseconds.toFixed(1)} ms`.padStart(11)).join('')
    const ratio = (plain.milliseconds / indexed.milliseconds).toFixed(1)
    console.log(`  ${name.padEnd(24)}${String(plain.rows).padStart(9)}${times}${ratio.padStart(8)}   ${groups}`)
  }
  const levels = await measure(addresses.main, 'SELECT level, count(*) FROM indexed GROUP BY level')
  console.log(
    `  ${'count by level'.padEnd(24)}${''.padStart(20)}${`${levels.milliseconds.toFixed(1)} ms`.padStart(11)}`
  )
}

/** Median of a few runs, and the first number of the answer. */
async function measure(url: string, sql: string) {
  const times: number[] = []
  let rows: unknown
  for (let run = 0; run < 5; run++) {
    const started = performance.now()
    const answer = await ask(url, sql)
    times.push(performance.now() - started)
    rows = answer[0]?.[0]
  }
  return { rows, runs: times.length, milliseconds: times.toSorted((a, b) => a - b)[2]! }
}

async function ask(url: string, sql: string): Promise<unknown[][]> {
  const response = await fetch(`${url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql }) })
  const body = (await response.json()) as { error?: string; output?: [{ records: { rows: unknown[][] } }] }
  if (body.output === undefined) throw new Error(`${sql}: ${body.error}`)
  return body.output[0].records.rows
}
