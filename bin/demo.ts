// weir demo: both servers on a temporary folder with a small shop, the server's own log, and some answers.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../core/config/load.ts'
import { exitNow } from '../core/exit.ts'
import { stopOnSignals } from '../core/signals.ts'
import { type Running, start } from '../core/start.ts'
import { pause } from '../core/timer.ts'
import { watchHeap } from '../core/workers/heap.ts'
import { catalogue } from '../plugins/index.ts'
import { type Command, parseFlags, print, UsageError } from './command.ts'
import { createShop, type Shop } from './demo-shop.ts'
import { exampleFolder } from './examples.ts'

const usage = `Runs both servers on a temporary folder with the last hour of a small shop: an access log, metrics, logs, traces and
rules. Asks a few questions in SQL; then the shop goes on, and the dashboard shows it, until Ctrl-C.

Usage: weir demo [--once] [--engine embedded|clickhouse] [--http-addr HOST:PORT]

Options:
  --once                 End after the answers
  --engine NAME          embedded by default; clickhouse keeps everything in the ClickHouse that CLICKHOUSE_URL names, or in chdb where a
                         checkout of the repository has it
  --http-addr HOST:PORT  Address of the main server, 127.0.0.1:4000 by default; another one puts the public server on any free port
  -h, --help             Show this text`

type EngineName = 'embedded' | 'clickhouse'

const minuteOf: Readonly<Record<EngineName, string>> = {
  embedded: "strftime(time, '%H:%M')",
  clickhouse: "formatDateTime(time, '%H:%i')"
}

const aboutTheShop = (engine: EngineName) => [
  {
    question: 'What does the shop serve, and how well?',
    sql: `SELECT path, count(*) AS requests, count(*) FILTER (WHERE status >= 500) AS errors, round(avg(bytes)) AS avg_bytes
          FROM shop GROUP BY path ORDER BY requests DESC LIMIT 8`
  },
  {
    question: 'When did the checkout fail?',
    sql: `SELECT ${minuteOf[engine]} AS minute, count(*) AS errors FROM shop WHERE status >= 500 GROUP BY minute ORDER BY minute`
  }
]

const aboutItself = [
  {
    question: 'What did this server itself answer?',
    sql: 'SELECT method, path, code, ms FROM weir_log WHERE code IS NOT NULL ORDER BY svc_timestamp, ms DESC LIMIT 8'
  }
]

export const demo: Command = {
  usage,
  async run(args) {
    const { values } = parseFlags(args, {
      once: { type: 'boolean' },
      engine: { type: 'string', default: 'embedded' },
      'http-addr': { type: 'string' }
    })
    const engine = values.engine === 'embedded' || values.engine === 'clickhouse' ? values.engine : undefined
    if (engine === undefined) throw new UsageError('--engine is embedded or clickhouse')
    const startCluster = engine === 'clickhouse' ? await clusterStarter() : undefined
    const folder = mkdtempSync(join(tmpdir(), 'weir-demo-'))
    let cluster: Cluster | undefined
    // Runs however the process ends.
    process.once('exit', () => {
      cluster?.end()
      rmSync(folder, { recursive: true, force: true })
    })
    cluster = await startCluster?.(folder)
    const { config } = loadConfig({
      overrides: settings(folder, values.once === true ? '127.0.0.1:0' : values['http-addr'], cluster?.storage)
    })
    const signals = stopOnSignals(config.http.shutdown_grace)
    let running: Running | undefined
    try {
      watchHeap('server')
      running = await start(config, catalogue, { folder, signal: signals.signal })
      signals.follow(running)
      const { main, public: open } = running.addresses
      const where = cluster === undefined ? folder : cluster.about
      print(`Weir runs at ${main} (everything) and ${open} (public), data in ${where}\n`)
      const shop = await ingestShop(main)
      for (const { question, sql } of aboutTheShop(engine)) await ask(main, question, sql)
      await ingestOwnLog(main, join(folder, 'logs'))
      for (const { question, sql } of aboutItself) await ask(main, question, sql)
      if (values.once) {
        await running.close()
        return cluster?.end()
      }
      print(goOn(main, open!))
      await shop.goOn(signals.signal)
    } catch (error) {
      if (!signals.signal.aborted) throw error
      // Errors caused by the shutdown are ignored.
      await (running?.close() ?? exitNow(0))
    }
  }
}

interface Cluster {
  /** Keys of `[storage]`. */
  readonly storage: object
  readonly about: string
  end(): void
}

/** The test module that starts a ClickHouse. */
interface ClusterModule {
  needingClickHouse(): { readonly skip: string | false }
  startClickHouse(
    t: { teardown(work: () => unknown): void },
    options: { readonly folder: string }
  ): Promise<{ readonly url: string; readonly username: string; readonly password: string; stop(): Promise<void> }>
}

/** The function that starts the tests' ClickHouse; packages do not contain it. Throws UsageError if it is missing. */
async function clusterStarter(): Promise<(folder: string) => Promise<Cluster>> {
  const module = new URL('../test/clickhouse/server.ts', import.meta.url)
  if (!existsSync(module)) {
    throw new UsageError(
      '--engine clickhouse is for a checkout of the repository: see docs/clickhouse.md for a cluster'
    )
  }
  const { needingClickHouse, startClickHouse } = (await import(module.href)) as ClusterModule
  const { skip } = needingClickHouse()
  if (skip !== false) throw new UsageError(skip)
  return async folder => {
    const started = await startClickHouse({ teardown() {} }, { folder: join(folder, 'clickhouse') })
    const password_file = join(folder, 'clickhouse-password')
    writeFileSync(password_file, started.password, { mode: 0o600 })
    const clickhouse = { urls: [started.url], username: started.username, password_file, database_prefix: 'demo_' }
    return {
      storage: { engine: 'clickhouse', clickhouse },
      about: `the ClickHouse at ${started.url}`,
      end: () => void started.stop()
    }
  }
}

/** Uses the default ports, unless another address is given. */
function settings(folder: string, addr: string | undefined, storage: object = {}) {
  return {
    http: {
      addr: addr ?? '127.0.0.1:4000',
      api_server_addr: addr === undefined ? '127.0.0.1:4006' : '127.0.0.1:0',
      enable_api_server: true
    },
    storage: { data_home: folder, ...storage },
    logging: { level: 'debug', log_format: 'json', append_stdout: false },
    // So that the dashboard can show the server itself.
    enable_telemetry: true,
    plugins: {
      admin: { self_interval: '5s' },
      alerting: { rule_files: [join(exampleFolder, 'shop-rules.yml')] }
    }
  }
}

/** The shop's last hour. */
async function ingestShop(url: string): Promise<Shop> {
  const log = readFileSync(join(exampleFolder, 'shop-access.log'), 'utf8').trimEnd().split('\n')
  const pipeline = readFileSync(join(exampleFolder, 'access.yaml'), 'utf8')
  await post(`${url}/v1/pipelines/access`, 'application/x-yaml', pipeline)
  print('created the pipeline `access` (dissect, date, types)')
  const shop = createShop(url, log, (milliseconds, signal) => pause(milliseconds, { signal }))
  const started = performance.now()
  await shop.begin(Date.now())
  const milliseconds = Math.round(performance.now() - started)
  print(
    `ingested ${log.length} lines of an access log into \`shop\`, with the shop's metrics, logs and traces, in ${milliseconds} ms\n`
  )
  return shop
}

/** What the server has logged so far, one JSON object a line. */
async function ingestOwnLog(url: string, folder: string): Promise<void> {
  const own = readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
  await post(`${url}/v1/ingest?table=weir_log&pipeline_name=svc_identity`, 'application/x-ndjson', own)
  print(`ingested ${own.trimEnd().split('\n').length} lines of the server's own log into \`weir_log\`\n`)
}

async function ask(url: string, question: string, sql: string): Promise<void> {
  const started = performance.now()
  const response = await fetch(`${url}/v1/sql?format=table`, { method: 'POST', body: new URLSearchParams({ sql }) })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${sql}\n${answer}`)
  print(`${question}  (${(performance.now() - started).toFixed(1)} ms)\n${answer}`)
}

/** Posts a body; returns the duration. */
async function post(url: string, type: string, body: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return Math.round(performance.now() - started)
}

function goOn(main: string, open: string): string {
  return `Look at it: ${main}/dashboard

Go on:
  curl '${main}/v1/sql?format=table' --data-urlencode 'sql=SHOW TABLES'
  curl '${open}/v1/ingest?table=mine&pipeline_name=svc_identity' -H 'content-type: application/x-ndjson' -d '{"hello":"world"}'
  curl ${main}/metrics
  curl ${main}/config

Ctrl-C ends it and removes the folder.`
}
