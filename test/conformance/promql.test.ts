// The public test language of PromQL against the real server: remote write in, the query API out.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serverFolder, startProcess } from '../process/server.ts'
import { material } from './material.ts'

const cases = material('conformance/promql')

interface Score {
  readonly pass: number
  readonly fail: number
  readonly skip: number
}

t.test('every case of stable PromQL answers as Prometheus does', { skip: cases.skip }, async t => {
  const cluster = process.env['WEIR_TEST_CLICKHOUSE']
  const storage =
    cluster === undefined ? '' : `[storage.clickhouse]\nurls = ["${cluster}"]\ndatabase_prefix = "promql_"\n`
  const env: Record<string, string> = cluster === undefined ? {} : { WEIR__STORAGE__ENGINE: 'clickhouse' }
  const server = await startProcess(t, serverFolder(t, `[plugins.promql]\nexperimental = true\n${storage}`), { env })
  const report = await runCases(server.url)
  const [float, native, experimental] = readTotals(report)
  const failures = report.match(/^FAIL .*(?:\n {2}.*)*/gm) ?? []
  const stable = failures.filter(text => !text.includes('[experimental'))
  t.same(stable.slice(0, 5), [], 'no case of a stable feature fails')
  t.match(float, { fail: 0, skip: 0 }, `float: ${float.pass} pass`)
  t.match(native, { fail: 0, skip: 0 }, `native histograms: ${native.pass} pass`)
  t.ok(float.pass > 500 && native.pass > 100, 'the cases were run')
  t.comment(`experimental: ${experimental.pass} pass, ${experimental.fail} fail, ${experimental.skip} skipped`)
})

/** What the runner prints. Each block of cases has a database of its own. */
function runCases(url: string): Promise<string> {
  const files = readdirSync(cases.path)
    .filter(name => name.endsWith('.test'))
    .map(name => join(cases.path, name))
  const api = `${url}/v1/metricsys`
  const args = [
    '--write',
    `${api}/write`,
    '--query',
    `${api}/api/v1`,
    '--db-per-block',
    'db',
    '--create-db',
    `${url}/v1/sql`
  ]
  return new Promise((resolve, reject) => {
    const runner = join(cases.path, 'promql-conformance.mjs')
    // The runner exits with 1 when any case fails, experimental ones too, so its output is read instead.
    execFile(process.execPath, [runner, ...args, ...files], { maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      stdout.includes('\ntotal ') ? resolve(stdout) : reject(new Error(`${error?.message}\n${stderr}`))
    )
  })
}

/** Of the last line of its table: passed, failed and skipped by category. */
function readTotals(report: string): readonly [float: Score, native: Score, experimental: Score] {
  const total = /^total(.*)$/m.exec(report)![1]!
  const scores = total.split('|').map((part): Score => {
    const [pass, fail, skip] = part
      .trim()
      .split(/\s+/)
      .map(word => (word === '.' ? 0 : Number(word)))
    return { pass: pass!, fail: fail!, skip: skip! }
  })
  return [scores[0]!, scores[1]!, scores[2]!]
}
