// Concurrent requests at a limit of tables, columns or series stay within it together, whatever their protocols.
import t from 'tap'
import { startServer } from '../helpers.ts'

const json = { 'content-type': 'application/json' }
const text = { 'content-type': 'text/plain' }
const time = 1_700_000_000_000

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** What a protocol sends to a table, with a field or tag of its own name. */
type Make = (table: string, name: string, value: string) => Sent

interface Protocol {
  readonly plugin: string
  readonly make: Make
  /** Where the value is a tag. */
  readonly hasSeries: boolean
}

const protocols: readonly Protocol[] = [
  {
    plugin: 'lineproto',
    hasSeries: true,
    make: (table, name, value) => ({
      url: '/v1/lineproto/write?precision=ms',
      headers: text,
      payload: `${table},${name}=${value} v=1 ${time}`
    })
  },
  {
    plugin: 'tsdbput',
    hasSeries: true,
    make: (metric, name, value) => ({
      url: '/v1/tsdbput/api/put',
      headers: json,
      payload: JSON.stringify([{ metric, timestamp: time, value: 1, tags: { [name]: value } }])
    })
  },
  {
    plugin: 'logpush',
    hasSeries: true,
    make: (table, name, value) => ({
      url: '/v1/logpush/api/v1/push',
      headers: { ...json, 'x-svc-log-table-name': table },
      payload: JSON.stringify({ streams: [{ stream: { [name]: value }, values: [[`${time}000000`, 'x']] }] })
    })
  },
  {
    plugin: 'eventcollector',
    hasSeries: false,
    make: (table, name, value) => ({
      url: `/v1/eventcollector/services/collector/event?table=${table}`,
      headers: json,
      payload: JSON.stringify({ time: time / 1000, event: 'x', fields: { [name]: value } })
    })
  },
  {
    plugin: 'pipelines',
    hasSeries: false,
    make: (table, name, value) => ({
      url: `/v1/ingest?table=${table}&pipeline_name=svc_identity`,
      headers: json,
      payload: JSON.stringify([{ [name]: value }])
    })
  },
  {
    plugin: 'telemetry',
    hasSeries: false,
    make: (table, name, value) => ({
      url: '/v1/telemetry/v1/logs',
      headers: { ...json, 'x-svc-log-table-name': table, 'x-svc-log-extract-keys': name },
      payload: JSON.stringify({
        resourceLogs: [
          { scopeLogs: [{ logRecords: [{ attributes: [{ key: name, value: { stringValue: value } }] }] }] }
        ]
      })
    })
  }
]

const many = 24
const limits = { max_tables: 3, max_columns: 20, max_series: 3 } as const

for (const [key, most] of Object.entries(limits)) {
  const own = protocols.filter(({ hasSeries }) => hasSeries || key !== 'max_series')
  t.test(key, { timeout: 120_000 }, async t => {
    const { main, core } = await startServer(
      t,
      `[limits]\n${key} = ${most}\n[limits.databases.public]\n${key} = 1000\n`
    )
    for (const { plugin, make } of own) {
      await main.inject({ method: 'POST', url: `/v1/sql?sql=${encodeURIComponent(`CREATE DATABASE ${plugin}`)}` })
      const send = ({ headers, ...sent }: Sent) =>
        main.inject({ method: 'POST', ...sent, headers: { ...headers, 'x-svc-db-name': plugin } })
      // The table is there, so that only what is limited grows.
      if (key !== 'max_tables') t.ok((await send(make('one', 'a', 'x'))).statusCode < 300)
      const answers = await Promise.all(
        Array.from({ length: many }, (_, i) => {
          if (key === 'max_tables') return send(make(`t${i}`, 'a', 'x'))
          return send(key === 'max_columns' ? make('one', `n${i}`, 'x') : make('one', 'a', `x${i}`))
        })
      )
      const refused = answers.filter(({ statusCode }) => statusCode === 400)
      t.equal(
        refused.length + answers.filter(({ statusCode }) => statusCode < 300).length,
        many,
        `${plugin}: all answered`
      )
      for (const { body } of refused) t.match(body, `limits.${key}`)
      const table = core.store.table(plugin, 'one')
      const found = {
        max_tables: core.store.tables(plugin).length,
        max_columns: table?.columns.length ?? 0,
        max_series: table === undefined ? 0 : (core.store.statistics(table).series ?? 0)
      }[key]!
      t.equal(found, most, `${plugin}: ${found}`)
    }
  })
}
