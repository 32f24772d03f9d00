import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'
import { askServer, visits } from './fixtures.ts'

t.test('a query is answered as a Parquet file', async t => {
  const server = await startServer(t)
  const url = server.addresses.main!
  await askServer(url)(visits)
  const folder = join(server.core.config.storage.data_home, 'export')
  const left = () => (existsSync(folder) ? readdirSync(folder) : [])
  const ask = (sql: string, more: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${url}/v1/sql`, {
      method: 'POST',
      body: new URLSearchParams({ sql, format: 'parquet', ...more }),
      ...(signal && { signal })
    })
  const read = async (response: Response) =>
    parquetReadObjects({ file: await response.arrayBuffer(), compressors }) as Promise<Record<string, unknown>[]>

  await t.test('with all types and names, and no file stays', async t => {
    const response = await ask(
      `SELECT 1 AS "a ""b", 1.5 AS "a", TIMESTAMP '2026-05-04 10:00:00' AS at, 'x' AS word, NULL::BIGINT AS none`
    )
    t.equal(response.status, 200)
    t.match(Object.fromEntries(response.headers), {
      'content-type': 'application/vnd.apache.parquet',
      'x-svc-format': 'parquet'
    })
    const at = new Date('2026-05-04T10:00:00Z')
    t.strictSame(await read(response), [{ 'a "b': 1, a: 1.5, at, word: 'x', none: null }])
    t.same(left(), [])
    t.equal((await read(await ask('SELECT * FROM visits'))).length, 2)
    t.equal((await read(await ask('SELECT * FROM visits', { limit: '1' }))).length, 1)
    t.equal((await read(await ask('SELECT * FROM visits WHERE false'))).length, 0)
  })

  await t.test('other statements and wrong queries are refused', async t => {
    for (const sql of ['SELECT 1; SELECT 2', 'SHOW TABLES', 'DELETE FROM visits', "COPY visits TO 'x.csv'"]) {
      const response = await ask(sql)
      t.equal(response.status, 400, sql)
      t.match(((await response.json()) as { error: string }).error, /format parquet takes one SELECT/, sql)
    }
    const others = [
      '/v1/promql?query=1&start=0&end=1&step=1',
      `/v1/logs?query=${encodeURIComponent('{"table":"visits"}')}`
    ]
    for (const path of others) {
      const response = await fetch(`${url}${path}&format=parquet`)
      t.equal(response.status, 400, path)
      t.match(((await response.json()) as { error: string }).error, /one SELECT of \/v1\/sql.*arrow/, path)
    }
    const wrong = await ask('SELECT CAST(site AS INT) FROM visits')
    t.equal(wrong.status, 400)
    t.notMatch(await wrong.text(), folder, 'errors do not tell where the folder is')
    t.same(left(), [])
  })

  await t.test('a client that leaves ends the query, and the file goes', async t => {
    const leaving = new AbortController()
    const asked = ask('SELECT i, hash(i) AS h FROM range(1000000000) r(i)', {}, leaving.signal).catch(() => undefined)
    await eventually(() => left().length > 0)
    t.equal(left().length, 1, 'it is being written')
    leaving.abort()
    await asked
    await eventually(() => left().length === 0)
    t.same(left(), [])
    const begun = await ask('SELECT i, hash(i) AS h FROM range(3000000) r(i)')
    await begun.body!.getReader().read()
    await begun.body!.cancel().catch(() => undefined)
    t.same(left(), [])
  })
})

t.test('who may only write gets no rows', async t => {
  const server = await startServer(t, 'user_provider = "static_user_provider:cmd:w:wo=pw"\n')
  const response = await fetch(`${server.addresses.main!}/v1/sql`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('w:pw')}` },
    body: new URLSearchParams({ sql: 'SELECT 1', format: 'parquet' })
  })
  t.equal(response.status, 403)
})
