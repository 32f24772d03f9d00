// Widely used clients of the protocol, against a listening server.
import { InfluxDB, Point } from '@influxdata/influxdb-client'
import { FieldType, InfluxDB as InfluxDbOne } from 'influx'
import t from 'tap'
import { askSql } from '../../helpers.ts'
import { serve } from './serve.ts'

const users = 'user_provider = "static_user_provider:cmd:al:wo=p:w,all=a"'

async function listening(t: Parameters<typeof serve>[0]) {
  const { main, core, sql: _, ...rest } = await serve(t, users)
  const sql = (text: string) => askSql({ main }, text, { user: 'all:a' })
  const { port } = main.server.address() as { port: number }
  return { ...rest, core, sql, port }
}

t.test('the client of version 2: every type, all precisions, bodies large enough to be compressed', async t => {
  const { port, sql } = await listening(t)
  const client = new InfluxDB({ url: `http://127.0.0.1:${port}/v1/lineproto`, token: 'al:p:w' })
  for (const precision of ['ns', 'us', 'ms', 's'] as const) {
    const api = client.getWriteApi('any org', 'public', precision, { gzipThreshold: 100 })
    api.useDefaultTags({ precision, 'a b': 'c, d=e' })
    for (let i = 0; i < 50; i++) {
      const point = new Point('two words')
        .tag('host', `h ${i}`)
        .floatField('f', i / 3)
        .intField('i', i)
        .uintField('u', '18446744073709551615')
        .booleanField('b', i % 2 === 0)
        .stringField('s', `a "text" with \\ and, = and\nlines ${i}`)
        .timestamp(new Date(1_700_000_000_000 + i * 1000))
      api.writePoint(point)
    }
    await api.close()
  }
  const rows = await sql(
    `SELECT "precision", "a b", host, f, i, u::VARCHAR, b, s, epoch_ms(svc_timestamp) FROM "two words" WHERE i = 7 ORDER BY 1`
  )
  t.same(
    rows,
    ['ms', 'ns', 's', 'us'].map(precision => [
      precision,
      'c, d=e',
      'h 7',
      7 / 3,
      7,
      '18446744073709551615',
      false,
      'a "text" with \\ and, = and\nlines 7',
      1_700_000_007_000
    ])
  )
  t.same(await sql('SELECT count(*) FROM "two words"'), [[200]])
})

t.test('the client of version 2 shows what is wrong', async t => {
  const { port } = await listening(t)
  const write = async (token: string, bucket: string, line: string) => {
    let failure: { message?: string; statusCode?: number; code?: string } = {}
    const api = new InfluxDB({
      url: `http://127.0.0.1:${port}/v1/lineproto`,
      token,
      writeOptions: {
        maxRetries: 0,
        writeFailed: error => {
          failure = error
          return Promise.resolve()
        }
      }
    }).getWriteApi('org', bucket, 'ns')
    api.writeRecord(line)
    await api.close()
    return failure
  }
  const bad = await write('al:p:w', 'public', 'm v=x')
  t.equal(bad.statusCode, 400)
  t.equal(bad.code, 'invalid')
  t.match(bad.message, /"x" is not a value.*line 1, column 5/)
  t.equal((await write('al:no', 'public', 'm v=1')).statusCode, 401)
  t.match((await write('al:p:w', 'none', 'm v=1')).message, /Database not found: none/)
})

t.test('the client of version 1', async t => {
  const { port, sql } = await listening(t)
  const client = new InfluxDbOne({
    hosts: [{ host: '127.0.0.1', port, path: '/v1/lineproto' } as never],
    username: 'al:wo',
    password: 'p:w',
    database: 'public',
    schema: [
      {
        measurement: 'response_times',
        fields: {
          path: FieldType.STRING,
          duration: FieldType.INTEGER,
          load: FieldType.FLOAT,
          ok: FieldType.BOOLEAN
        },
        tags: ['host']
      }
    ]
  })
  const other = new InfluxDbOne({
    hosts: [{ host: '127.0.0.1', port, path: '/v1/lineproto' } as never],
    username: 'al',
    password: 'p:w',
    database: 'public'
  })
  const point = {
    measurement: 'response_times',
    tags: { host: 'a "b" = c' },
    fields: { path: '/x?y="z"', duration: 12, load: 0.5, ok: true },
    timestamp: new Date(1_700_000_000_123)
  }
  await t.rejects(client.writePoints([point]), /40[13]|password|Unauthorized|unknown/i, 'a wrong user')
  await other.writePoints([{ ...point, fields: { load: 0.25 } }])
  await other.writePoints([{ ...point, fields: { load: 0.5, ok: true } }], {
    precision: 'ms',
    retentionPolicy: 'autogen'
  })
  t.same(await sql('SELECT host, "load", ok, epoch_ms(svc_timestamp) FROM "response_times"'), [
    ['a "b" = c', 0.5, true, 1_700_000_000_123]
  ])
  await t.rejects(other.writePoints([{ ...point, fields: { load: 'text' } }]), /column load of table response_times/)
})
