// What the bench of the ClickHouse engine sends and asks: statements that mean the same to both engines.
import { join } from 'node:path'
import { type Corpus, ndjsonCorpus, sequence, writeCorpus } from './corpus.ts'
import { metricCorpus } from './metric-corpus.ts'

export interface Job {
  readonly name: string
  readonly path: string
  readonly file: string
  readonly items: number
}

const series = 10_000
const perBody = 2000

/** Writes the requests into a folder. */
export function jobsOf(folder: string, samples: number, lines: number): Job[] {
  const job = (name: string, path: string, corpus: Corpus): Job => {
    const file = join(folder, corpus.name)
    writeCorpus(file, corpus)
    return { name, path, file, items: corpus.items }
  }
  const rounds = Math.max(1, Math.round(samples / series))
  return [
    job('remote write, samples', '/v1/metricsys/write', metricCorpus({ series, rounds, churn: 0, perBody })),
    job('line protocol, lines', '/v1/lineproto/write?precision=ms', lineCorpus(lines)),
    job('NDJSON, log lines', '/v1/ingest?table=shop&pipeline_name=svc_identity', ndjsonCorpus(lines, perBody))
  ]
}

/** Lines with three tags and four fields, of 1,000 hosts. */
function lineCorpus(lines: number): Corpus {
  const random = sequence(9)
  const bodies: Buffer[] = []
  for (let at = 0; at < lines; at += perBody) {
    let body = ''
    for (let i = at; i < Math.min(lines, at + perBody); i++) {
      const host = i % 1000
      const fields = ['user', 'system', 'idle', 'iowait'].map(name => `${name}=${Math.round(random() * 1000) / 10}`)
      const time = Date.UTC(2026, 0, 1) + Math.floor(i / 1000) * 10_000
      body += `cpu,host=host-${host},region=region-${host % 5},rack=r${host % 40} ${fields.join(',')} ${time}\n`
    }
    bodies.push(Buffer.from(body))
  }
  return { name: 'lines', headers: { 'Content-Type': 'text/plain' }, bodies, items: lines }
}

export interface Question {
  readonly name: string
  readonly path: string
  /** What `/v1/sql` and `/v1/logs` are sent. */
  readonly body: string
  /** For ClickHouse itself. */
  readonly direct?: string
}

/** `final` stands behind the table where ClickHouse itself is asked. */
function bySql(name: string, statement: string, final = ''): Question {
  const direct = statement.replace(/FROM (\w+)/, `FROM weir_public.$1${final}`)
  return { name: `SQL: ${name}`, body: statement, direct, path: '/v1/sql' }
}

function byLogQuery(name: string, document: object): Question {
  const body = JSON.stringify({ table: 'shop', ...document })
  return { name: `log query: ${name}`, body, path: '/v1/logs' }
}

function byPromql(name: string, query: string): Question {
  const end = Math.floor(Date.now() / 1000)
  const about = new URLSearchParams({ query, start: String(end - 900), end: String(end), step: '15', nocache: '1' })
  const path = `/v1/metricsys/api/v1/query_range?${about}`
  return { name: `PromQL: ${name}`, body: query, path }
}

export const questions: readonly Question[] = [
  bySql('count by level', 'SELECT level, count(*) AS n FROM shop GROUP BY level ORDER BY level'),
  bySql('top 10 hosts', 'SELECT host, count(*) AS n FROM shop GROUP BY host ORDER BY n DESC, host LIMIT 10'),
  bySql('count of a phrase', "SELECT count(*) FROM shop WHERE message LIKE '%/cart answered to 172.20%'"),
  bySql(
    'mean by region, newest versions',
    'SELECT region, avg("user") AS mean FROM cpu GROUP BY region ORDER BY region',
    ' FINAL'
  ),
  byLogQuery('newest 100', { limit: { fetch: 100 } }),
  byLogQuery('a phrase, newest 100', {
    filters: { Single: { expr: { NamedIdent: 'message' }, filters: [{ Contains: '/cart answered to 172.20' }] } },
    limit: { fetch: 100 }
  }),
  byPromql('one series', 'machine_cpu_user{instance="node-7.ap-south-1.internal:9100"}'),
  byPromql('sum by region of 1,000 series', 'sum by (region) (machine_cpu_user)'),
  byPromql('rates by team of 1,000 series', 'avg by (team) (rate(machine_cpu_system[2m]))')
]
