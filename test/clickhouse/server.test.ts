// The server of the tests speaks ClickHouse's protocol well enough for the official client.
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { tableFromArrays, tableToIPC } from 'apache-arrow'
import t, { type Test } from 'tap'
import { needingClickHouse, startClickHouse } from './server.ts'

const log = { level: ClickHouseLogLevel.OFF }

async function connect(t: Test, options: { password?: string } = {}): Promise<ClickHouseClient> {
  const { url, username, password } = await startClickHouse(t, options)
  const client = createClient({ url, username, password, log, compression: { request: true, response: true } })
  t.teardown(() => client.close())
  return client
}

t.test(
  'it answers the official client: statements, parameters, settings, compressed bodies of Arrow',
  needingClickHouse(),
  async t => {
    const client = await connect(t)
    t.ok((await client.ping()).success)
    const asked = await client.query({
      query: "SELECT {text:String} AS text, {n:Int64} + 1 AS n, getSetting('max_threads') AS threads",
      query_params: { text: "a\\b'\t\n", n: 2 },
      clickhouse_settings: { max_threads: 1 },
      format: 'JSONEachRow',
      query_id: 'mine'
    })
    t.equal(asked.query_id, 'mine')
    t.strictSame(await asked.json(), [{ text: "a\\b'\t\n", n: 3, threads: 1 }])
    const later = await client.query({ query: "SELECT changed FROM system.settings WHERE name = 'max_threads'" })
    t.strictSame(
      (await later.json<{ changed: number }>()).data,
      [{ changed: 0 }],
      'settings are those of one statement'
    )
    await client.command({ query: 'CREATE DATABASE shop' })
    await client.command({ query: 'CREATE TABLE shop.t (a String, n Nullable(Int32)) ENGINE = MergeTree ORDER BY a' })
    const stream = tableToIPC(tableFromArrays({ a: ['x', 'y'], n: Int32Array.of(1, 2) }), 'stream')
    const inserted = await client.exec({
      query: 'INSERT INTO shop.t (a, n) FORMAT ArrowStream',
      values: Readable.from([Buffer.from(stream)], { objectMode: false })
    })
    t.equal((await inserted.stream.toArray()).length, 0, 'there is nothing to read')
    const found = await client.query({ query: 'SELECT * FROM shop.t ORDER BY a', format: 'JSONCompactEachRow' })
    t.strictSame(await found.json(), [
      ['x', 1],
      ['y', 2]
    ])
  }
)

t.test('its errors have codes, and a wrong password is one', needingClickHouse(), async t => {
  const client = await connect(t, { password: 'secret' })
  await t.rejects(client.query({ query: 'SELECT * FROM nothing' }), { code: '60', type: 'UNKNOWN_TABLE' })
  await t.rejects(client.query({ query: 'SELECT 1 SETTINGS nothing = 1' }), { code: '115' })
  const { url, stop } = await startClickHouse(t, { password: 'secret' })
  const stranger = createClient({ url, password: 'wrong', log })
  t.teardown(() => stranger.close())
  await t.rejects(stranger.query({ query: 'SELECT 1' }), { code: '516' })
  await stop()
  await t.rejects(stranger.query({ query: 'SELECT 1' }), { code: 'ECONNREFUSED' })
})
