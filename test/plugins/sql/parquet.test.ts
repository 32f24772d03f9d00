import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'
import { slowness } from '../../time.ts'
import { askServer, visits } from './fixtures.ts'

type Ask = (sql: string, more?: Record<string, string>, signal?: AbortSignal) => Promise<Response>

t.test('rows are answered as a Parquet file', async t => {
  const server = await startServer(t)
  const url = server.addresses.main!
  await askServer(url)(visits)
  const ask: Ask = (sql, more = {}, signal) =>
    fetch(`${url}/v1/sql`, {
      method: 'POST',
      body: new URLSearchParams({ sql, format: 'parquet', ...more }),
      ...(signal && { signal })
    })
  const read = async (response: Response) =>
    parquetReadObjects({ file: await response.arrayBuffer(), compressors }) as Promise<Record<string, unknown>[]>
  const running = async () => (await askServer(url)('SHOW PROCESSLIST')).rows.length - 1

  await t.test('with all types and names', async t => {
    const response = await ask(
      `SELECT 1 AS "a ""b", 1.5 AS "a", TIMESTAMP '2026-05-04 10:00:00' AS at, 'x' AS word, NULL::BIGINT AS none, 2 AS a`
    )
    t.equal(response.status, 200)
    t.match(Object.fromEntries(response.headers), {
      'content-type': 'application/vnd.apache.parquet',
      'x-svc-format': 'parquet'
    })
    const at = new Date('2026-05-04T10:00:00Z')
    t.strictSame(await read(response), [{ 'a "b': 1, a: 1.5, at, word: 'x', none: null, a_1: 2 }])
    t.equal((await read(await ask('SELECT * FROM visits'))).length, 2)
    t.equal((await read(await ask('SELECT * FROM visits', { limit: '1' }))).length, 1)
    t.equal((await read(await ask('SELECT * FROM visits WHERE false'))).length, 0)
  })

  await t.test('so are statements that show or change something, PromQL and questions about logs', async t => {
    t.same(await read(await ask('SHOW TABLES')), [{ Tables_in_public: 'visits' }])
    t.same(await read(await ask("INSERT INTO visits (site, n, at) VALUES ('west', 1, 1719830400000)")), [
      { affected_rows: 1 }
    ])
    const promql = await fetch(`${url}/v1/promql?query=1&start=0&end=1&step=1&format=parquet`)
    t.equal((await read(promql)).length, 2)
    const query = encodeURIComponent('{"table":"visits"}')
    const [first] = await read(await fetch(`${url}/v1/logs?query=${query}&format=parquet`))
    t.ok(first !== undefined && 'site' in first)
  })

  await t.test('several statements and wrong ones are refused', async t => {
    const two = await ask('SELECT 1; SELECT 2')
    t.equal(two.status, 400)
    t.match(await two.text(), /multi-statements result in parquet format/)
    const wrong = await ask('SELECT CAST(site AS INT) FROM visits')
    t.equal(wrong.status, 400)
    t.match(wrong.headers.get('content-type'), /json/)
  })

  await t.test('row groups are sent as they are made, and nothing is written to disk', async t => {
    const response = await ask('SELECT i, hash(i) AS h FROM range(1000000000) r(i)')
    const reader = response.body!.getReader()
    const hash = createHash('sha256')
    for (let bytes = 0; bytes < 2_000_000; ) {
      const { value } = await reader.read()
      bytes += value!.length
      hash.update(value!)
    }
    const folder = join(server.core.config.storage.data_home, 'export')
    t.same(existsSync(folder) ? readdirSync(folder) : [], [])
    t.equal(await running(), 1, 'the statement goes on')
    await reader.cancel().catch(() => undefined)
    await eventually(async () => (await running()) === 0)
    t.pass('who leaves ends the statement')
  })

  await t.test('a client that leaves before the first row ends the statement, too', async t => {
    const leaving = new AbortController()
    const asked = ask('SELECT count(*) FROM range(1000000000000)', {}, leaving.signal).catch(() => undefined)
    await eventually(async () => (await running()) === 1)
    leaving.abort()
    await asked
    await eventually(async () => (await running()) === 0)
    t.pass()
  })

  await t.test('a failure behind the first row group cuts the connection', async t => {
    const response = await ask(
      "SELECT hash(i) AS h, CASE WHEN i < 900000 THEN i ELSE ('x' || i)::BIGINT END AS n FROM range(1000000) r(i)"
    )
    t.equal(response.status, 200)
    await t.rejects(response.arrayBuffer(), 'no end that looks like one')
  })

  await t.test('a million rows take seconds, and others are answered meanwhile', async t => {
    const waits: number[] = []
    let isDone = false
    const others = async () => {
      while (!isDone) {
        const asked = performance.now()
        await (await fetch(`${url}/v1/health`)).arrayBuffer()
        waits.push(performance.now() - asked)
      }
    }
    const asking = others()
    const began = performance.now()
    const words = "'request ' || i || ' took ' || (i * 7919 % 5000) || ' ms' AS words"
    const response = await ask(
      `SELECT TIMESTAMP '2026-05-04 10:00:00' + INTERVAL (i) SECOND AS at, i, i / 7 AS v, ${words} FROM range(1000000) r(i)`
    )
    const file = await response.arrayBuffer()
    const took = performance.now() - began
    isDone = true
    await asking
    const footer = parquetMetadata(file)
    t.equal(Number(footer.num_rows), 1_000_000)
    t.ok(footer.row_groups.length > 10, `${footer.row_groups.length} row groups`)
    t.ok(took < 10_000 * slowness(), `${Math.round(took)} ms`)
    const usual = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.9)]!
    t.ok(usual < 200 * slowness(), `${Math.round(usual)} ms for nine of ten answers to others`)
    t.comment(`${Math.round(took)} ms, ${waits.length} answers to others, nine of ten within ${Math.round(usual)} ms`)
    const last = await parquetReadObjects({ file, compressors, rowStart: 999_999 })
    t.match(last, [{ i: 999_999n, words: 'request 999999 took 2081 ms' }])
  })
})

t.test('a user with write permission alone gets no rows', async t => {
  const server = await startServer(t, 'user_provider = "static_user_provider:cmd:w:wo=pw"\n')
  const response = await fetch(`${server.addresses.main!}/v1/sql`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('w:pw')}` },
    body: new URLSearchParams({ sql: 'SELECT 1', format: 'parquet' })
  })
  t.equal(response.status, 403)
})
