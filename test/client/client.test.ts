// The client against the real server: values survive a round trip, and a server that refuses for a while is retried.
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import type { Test } from 'tap'
import t from 'tap'
import { createClient, type Item, WeirError } from '../../client/index.ts'
import { readRows } from '../../client/records.ts'
import { startServer, temporaryFolder } from '../helpers.ts'
import { visit } from '../plugins/dashboard/browser.ts'
import { needing } from '../programs.ts'

t.test('items in, typed rows out', async t => {
  const { addresses } = await startServer(t)
  const client = createClient({ url: `${addresses.main}/` })
  async function* items(): AsyncGenerator<Item> {
    for (let i = 0; i < 10_002; i++) yield { n: i, big: 2n ** 62n + BigInt(i), text: `"],[ ${i} \\`, nothing: null }
  }
  t.strictSame(await client.ingest(items(), { table: 'lines' }), { rows: 10_002, skipped: { count: 0, errors: [] } })

  const sql = 'SELECT n, big, text FROM lines ORDER BY n LIMIT $1'
  const { columns, rows } = await client.query<{ n: bigint; big: bigint; text: string }>(sql, { params: [2] })
  t.match(columns, [
    { name: 'n', type: 'Int64' },
    { name: 'big', type: 'Int64' },
    { name: 'text', type: 'String' }
  ])
  t.same(rows[1], { n: 1n, big: 2n ** 62n + 1n, text: '"],[ 1 \\' })

  let sum = 0n
  for await (const { n } of client.stream<{ n: bigint }>('SELECT n FROM lines')) sum += n
  t.equal(sum, BigInt((10_001 * 10_002) / 2))
  for await (const { n } of client.stream<{ n: bigint }>('SELECT n FROM lines ORDER BY n')) {
    t.equal(n, 0n, 'the loop may be left')
    break
  }
  const values = await client.query(
    `SELECT 1.5::DOUBLE AS f, true AS b, NULL AS z, '\\x01\\xFF'::BLOB AS bytes, TIMESTAMP '2026-01-02 03:04:05' AS at, [1, 2] AS list, 'é"\\' AS "a""b"`
  )
  t.match(values.rows[0], { f: 1.5, b: true, z: null, list: [1, 2], 'a"b': 'é"\\' })
  t.strictSame([...(values.rows[0]!['bytes'] as Uint8Array)], [1, 255])
  t.equal(typeof values.rows[0]!['at'], 'bigint')
  t.strictSame((await client.query('SELECT 1 AS one WHERE false')).rows, [])

  const table = await tableFromIPC(await new Response(await client.arrow('SELECT count(*) AS c FROM lines')).bytes())
  t.equal(table.get(0)!['c'], 10_002n)
  t.equal(await client.execute('CREATE TABLE k (ts TIMESTAMP TIME INDEX, v DOUBLE)'), 0)
  t.equal(await client.execute("INSERT INTO k VALUES ('2026-01-01 00:00:00', 2), ('2026-01-01 00:00:15', 3)"), 2)
  const start = new Date('2026-01-01T00:00:00Z')
  const range = await client.promql({ query: 'sum(k)', start, end: start.getTime() / 1000 + 15, step: '15s' })
  t.strictSame(
    range.rows.map(row => Object.values(row).find(value => typeof value === 'number')),
    [2, 3]
  )

  await t.rejects(client.query('SELECT * FROM nowhere'), {
    name: 'WeirError',
    status: 400,
    code: 4001,
    message: /nowhere/
  })
  const kept = await client.ingest([{ n: 1 }, 'no item' as unknown as Item], { table: 'lines', skipErrors: true })
  t.match(kept, { rows: 1, skipped: { count: 1, errors: [{ index: 1 }] } })
})

t.test('pipelines', async t => {
  const { addresses } = await startServer(t)
  const { pipelines, ingest, query } = createClient({ url: addresses.main })
  const document =
    'processors:\n  - dissect: { field: message, pattern: "%{who} %{what}" }\ntransform:\n  - { field: who, type: string }\n'
  t.match(await pipelines.dryRun({ document }, [{ message: 'a b' }]), [{ rows: [[{ value: 'a' }]] }])
  const { version, warnings } = await pipelines.create('words', document)
  t.strictSame(warnings, [])
  t.match(await pipelines.get('words'), { name: 'words', version, pipeline: document })
  t.match(await pipelines.ddl('words', 'said'), /CREATE TABLE/)
  await ingest([{ message: 'mia sings' }], { table: 'said', pipeline: 'words' })
  t.same((await query('SELECT who FROM said')).rows, [{ who: 'mia' }])
  t.equal(await pipelines.remove('words', version), true)
  t.equal(await pipelines.remove('words', version), false)
})

t.test('a tail shows lines as they are stored', async t => {
  const { addresses } = await startServer(t)
  const client = createClient({ url: addresses.main })
  await client.ingest([{ message: 'before' }], { table: 'logs' })
  const query = { table: 'logs', columns: ['message'], time_filter: { span: '1h' }, limit: { fetch: 2 } }
  const tail = client.tail<{ message: string }>(query)
  const first = tail.next()
  // Until it follows, lines are not for it.
  const writing = setInterval(() => client.ingest([{ message: 'now' }], { table: 'logs' }).catch(() => {}), 100)
  t.teardown(() => clearInterval(writing))
  t.same((await first).value, { message: 'now' })
  t.same((await tail.next()).value, { message: 'now' })
  t.equal((await tail.next()).done, true)
  await t.rejects(client.tail({ table: 'none' }).next(), { name: 'WeirError' })
})

t.test('users and databases', async t => {
  const users = join(temporaryFolder(t), 'users')
  writeFileSync(users, 'zoë=päss\n')
  const { addresses } = await startServer(t, `user_provider = "static_user_provider:file:${users}"`)
  const client = createClient({ url: addresses.main, user: 'zoë', password: 'päss', db: 'own' })
  await client.execute('CREATE DATABASE own', { db: 'public' })
  await client.ingest([{ a: 1 }], { table: 'x' })
  t.same((await client.query('SELECT a FROM own.x', { db: 'public' })).rows, [{ a: 1n }])
  await t.rejects(createClient({ url: addresses.main, token: 'x' }).query('SELECT 1'), {
    status: 401,
    name: 'WeirError'
  })
})

/** Answers with these in turn; undefined breaks the connection. */
async function replying(t: Test, answers: readonly ({ status: number; after?: string; body?: string } | undefined)[]) {
  let asked = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    if (answer === undefined) return request.socket.destroy()
    const { status, after, body = '' } = answer
    return response.writeHead(status, after === undefined ? {} : { 'retry-after': after }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`, asked: () => asked }
}

t.test('the client repeats a write that the server cannot take now, when it says', async t => {
  const done = { status: 200, body: '{"output":[{"affectedrows":1}],"execution_time_ms":0}' }
  const busy = await replying(t, [{ status: 503, after: '1' }, { status: 429, after: new Date().toUTCString() }, done])
  const begun = Date.now()
  t.match(await createClient({ url: busy.url }).ingest([{ a: 1 }], { table: 'x' }), { rows: 1 })
  t.ok(Date.now() - begun >= 950)
  t.equal(busy.asked(), 3)

  const never = await replying(t, [{ status: 503, after: '0', body: '{"code":5000,"error":"no"}' }])
  const wanted = { status: 503, code: 5000, message: 'no', retryAfter: 0 }
  await t.rejects(createClient({ url: never.url, retries: 2 }).query('SELECT 1'), wanted)
  t.equal(never.asked(), 3)

  const wrong = await replying(t, [{ status: 400, body: 'words of a proxy' }])
  await t.rejects(createClient({ url: wrong.url }).query('SELECT 1'), { status: 400, message: 'words of a proxy' })
  t.equal(wrong.asked(), 1)

  const cut = await replying(t, [undefined, done])
  t.match(await createClient({ url: cut.url }).query('SELECT 1'), { rows: [] })
  const torn = await replying(t, [undefined, done])
  await t.rejects(createClient({ url: torn.url }).ingest([{ a: 1 }], { table: 'x' }), { status: 0, name: 'WeirError' })
  t.equal(torn.asked(), 1, 'rows that may be stored are not sent again')

  const slow = await replying(t, [{ status: 503, after: '60' }])
  const signal = AbortSignal.timeout(100)
  await t.rejects(createClient({ url: slow.url }).query('SELECT 1', { signal }), { name: 'TimeoutError' })
})

t.test('rows are read whatever the pieces of the body', async t => {
  const body = `{"output":[{"records":{"schema":{"column_schemas":[{"name":"\\"rows\\":[","data_type":"Int64"},{"name":"b","data_type":"Json"}]},"rows":[[9007199254740993,["]\\\\",{"a":[1]}]],[null,"\\"["]],"total_rows":2}}],"execution_time_ms":1}`
  for (let size = 1; size < body.length; size += 3) {
    const pieces = (async function* () {
      for (let at = 0; at < body.length; at += size) yield body.slice(at, at + size)
    })()
    const rows: unknown[] = []
    for await (const row of readRows(pieces, () => {})) rows.push(row)
    const same = [
      { '"rows":[': 9007199254740993n, b: [']\\', { a: [1] }] },
      { '"rows":[': null, b: '"[' }
    ]
    if (!t.same(rows, same, `pieces of ${size}`)) break
  }
  const torn = (async function* () {
    yield body.slice(0, -60)
  })()
  await t.rejects(async () => {
    for await (const _ of readRows(torn, () => {}));
  }, WeirError)
})

t.test('in a browser', needing('chromium'), async t => {
  const { addresses } = await startServer(t)
  const page = await visit(t, addresses.main, '')
  await page.route('**/client/*.ts', route => {
    const file = join(import.meta.dirname, '../../client', route.request().url().split('/').at(-1)!)
    return route.fulfill({ contentType: 'text/javascript', body: stripTypeScriptTypes(readFileSync(file, 'utf8')) })
  })
  const found = await page.evaluate(async () => {
    const { createClient } = await import(/* @vite-ignore */ `${location.origin}/client/index.ts`)
    const client = createClient({ url: location.origin })
    await client.ingest([{ big: 2n ** 62n }], { table: 'lines' })
    const seen = []
    for await (const { big } of client.stream('SELECT big FROM lines')) seen.push(String(big))
    return seen
  })
  t.strictSame(found, [String(2n ** 62n)])
})
