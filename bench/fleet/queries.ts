// The questions dashboards ask about a fleet, in SQL and in the query language of InfluxDB 1.
import { sequence } from '../corpus.ts'
import { fields, start, step } from './corpus.ts'

export interface Question {
  readonly sql: string
  readonly influx: string
}

export interface QuestionKind {
  readonly name: string
  /** The `i`th of its kind: other hosts, other hours. */
  make(i: number): Question
}

const hour = 3_600_000

/** All kinds for a fleet of so many hosts that reported so many times. */
export function questions(hosts: number, rounds: number): QuestionKind[] {
  const end = start + rounds * step
  const draw = (i: number, salt: number) => sequence(i * 97 + salt)()
  const host = (i: number, salt = 1) => `host_${Math.floor(draw(i, salt) * hosts)}`
  /** A stretch of so many hours somewhere in the data. */
  const span = (i: number, hours: number): [number, number] => {
    const spare = Math.max(0, end - start - hours * hour)
    const from = start + Math.floor((draw(i, 2) * spare) / step) * step
    return [from, Math.min(end, from + hours * hour)]
  }
  return [
    singleGroup('1 metric, 1 host, 1 hour by minute', i => ({ gauges: 1, hosts: [host(i)], span: span(i, 1) })),
    singleGroup('5 metrics, 8 hosts, 1 hour by minute', i => ({
      gauges: 5,
      hosts: Array.from({ length: 8 }, (_, n) => host(i, n + 10)),
      span: span(i, 1)
    })),
    singleGroup('5 metrics, 1 host, 12 hours by minute', i => ({ gauges: 5, hosts: [host(i)], span: span(i, 12) })),
    doubleGroup('mean of 1 metric by host and hour, a day', 1, i => span(i, 24)),
    doubleGroup('mean of 5 metrics by host and hour, a day', 5, i => span(i, 24)),
    doubleGroup('mean of 10 metrics by host and hour, a day', 10, i => span(i, 24)),
    highCpu('rows above 90 of 1 host, 12 hours', i => ({ host: host(i), span: span(i, 12) })),
    highCpu('rows above 90 of all hosts, 12 hours', i => ({ span: span(i, 12) })),
    lastPoint('last row of every host'),
    newestMaxima('newest 5 maxima by minute before a time', i => span(i, 1)[1])
  ]
}

interface Selection {
  readonly gauges: number
  readonly hosts: readonly string[]
  readonly span: readonly [number, number]
}

function singleGroup(name: string, select: (i: number) => Selection): QuestionKind {
  return {
    name,
    make(i) {
      const { gauges, hosts, span } = select(i)
      const maxima = fields.slice(0, gauges).map(field => `max(${field}) AS ${field}`)
      const texts = hosts.map(host => `'${host}'`)
      const any = hosts.map(host => `hostname = '${host}'`).join(' OR ')
      return {
        sql: `SELECT date_trunc('minute', ts) AS minute, ${maxima.join(', ')} FROM cpu WHERE hostname IN (${texts.join(', ')}) AND ${sqlTime(span)} GROUP BY minute ORDER BY minute`,
        influx: `SELECT ${maxima.join(', ')} FROM cpu WHERE (${any}) AND ${influxTime(span)} GROUP BY time(1m)`
      }
    }
  }
}

function doubleGroup(name: string, gauges: number, select: (i: number) => readonly [number, number]): QuestionKind {
  return {
    name,
    make(i) {
      const span = select(i)
      const chosen = fields.slice(0, gauges)
      return {
        sql: `SELECT hostname, date_trunc('hour', ts) AS hour, ${chosen.map(field => `avg(${field}) AS ${field}`).join(', ')} FROM cpu WHERE ${sqlTime(span)} GROUP BY hostname, hour ORDER BY hostname, hour`,
        influx: `SELECT ${chosen.map(field => `mean(${field}) AS ${field}`).join(', ')} FROM cpu WHERE ${influxTime(span)} GROUP BY time(1h), hostname`
      }
    }
  }
}

function highCpu(
  name: string,
  select: (i: number) => { host?: string; span: readonly [number, number] }
): QuestionKind {
  return {
    name,
    make(i) {
      const { host, span } = select(i)
      const only = host === undefined ? '' : ` AND hostname = '${host}'`
      return {
        sql: `SELECT * FROM cpu WHERE usage_user > 90 AND ${sqlTime(span)}${only}`,
        influx: `SELECT * FROM cpu WHERE usage_user > 90 AND ${influxTime(span)}${only}`
      }
    }
  }
}

function lastPoint(name: string): QuestionKind {
  return {
    name,
    make: () => ({
      sql: 'SELECT * FROM cpu WHERE (hostname, ts) IN (SELECT hostname, max(ts) FROM cpu GROUP BY hostname)',
      influx: 'SELECT * FROM cpu GROUP BY hostname ORDER BY time DESC LIMIT 1'
    })
  }
}

function newestMaxima(name: string, before: (i: number) => number): QuestionKind {
  return {
    name,
    make(i) {
      const end = before(i)
      return {
        sql: `SELECT date_trunc('minute', ts) AS minute, max(usage_user) AS top FROM cpu WHERE ts < ${end} GROUP BY minute ORDER BY minute DESC LIMIT 5`,
        influx: `SELECT max(usage_user) AS top FROM cpu WHERE time >= ${start}ms AND time < ${end}ms GROUP BY time(1m) ORDER BY time DESC LIMIT 5`
      }
    }
  }
}

function sqlTime([from, to]: readonly [number, number]): string {
  return `ts >= ${from} AND ts < ${to}`
}

function influxTime([from, to]: readonly [number, number]): string {
  return `time >= ${from}ms AND time < ${to}ms`
}
