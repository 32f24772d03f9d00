// SQL for other plugins: one statement that reads, with values as parameters, as rows or batches.
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin, internalContext, type RequestContext, rowsOf } from '../../../core/index.ts'
import type { SqlQueryService } from '../../../plugins/services.ts'
import { askSql, startServer } from '../../helpers.ts'

async function serve(t: Parameters<typeof startServer>[0]) {
  let sql: SqlQueryService | undefined
  const asking = definePlugin({
    name: 'asking',
    prefix: '/v1/asking',
    servers: ['main'],
    needs: ['sql'],
    config: Type.Object({}),
    setup(_core, _config, services) {
      sql = services.sql
    }
  })
  const server = await startServer(t, '', { plugins: [asking] })
  await askSql(
    server,
    'CREATE TABLE m (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, v DOUBLE, n BIGINT, b BOOLEAN)'
  )
  await askSql(server, "INSERT INTO m VALUES (1, 'a', 1.5, 9007199254740993, true), (2, 'it''s', NULL, 2, false)")
  const ctx: RequestContext = internalContext(server.core, 'asking')
  const ask = async (text: string, params?: Parameters<SqlQueryService['query']>[2]) => {
    const rows: unknown[] = []
    for await (const row of rowsOf(await sql!.query(ctx, text, params))) rows.push(row)
    return rows
  }
  return { ...server, sql: sql!, ctx, ask }
}

t.test('rows are objects with the values of their columns', async t => {
  const { ask, sql, ctx } = await serve(t)
  t.strictSame(await ask('SELECT ts, host, v, n, b FROM m ORDER BY ts'), [
    { ts: 1n, host: 'a', v: 1.5, n: 9007199254740993n, b: true },
    { ts: 2n, host: "it's", v: null, n: 2n, b: false }
  ])
  const answer = await sql.query(ctx, 'SELECT host FROM m ORDER BY ts')
  for await (const { host } of rowsOf<{ readonly host: string }>(answer)) {
    t.equal(host.length, 1, 'the loop may be left')
    break
  }
})

t.test('values are parameters, by place or by name, and never text of the statement', async t => {
  const { ask } = await serve(t)
  t.strictSame(await ask('SELECT n FROM m WHERE host = $1 AND n = $2', ["it's", 2]), [{ n: 2n }])
  t.strictSame(await ask('SELECT n FROM m WHERE host = ? AND b = ?', ["it's", false]), [{ n: 2n }])
  t.strictSame(await ask('SELECT host FROM m WHERE n = $n OR v = $v', { n: 9007199254740993n, v: 1.5 }), [
    { host: 'a' }
  ])
  t.strictSame(await ask('SELECT host FROM m ORDER BY ts LIMIT $1', [1]), [{ host: 'a' }], 'an integer is one')
  t.strictSame(await ask('SELECT host FROM m WHERE host = $1', ["' OR true; DROP TABLE m --"]), [])
  await t.rejects(ask('SELECT $1', []), { code: 'InvalidArguments', message: /parameter 1.* has no value/ })
  await t.rejects(ask('SELECT 1', ['a']), { code: 'InvalidArguments', message: /no parameter for value 1/ })
})

t.test('only one statement that reads is run', async t => {
  const { ask, sql, ctx } = await serve(t)
  await t.rejects(ask('SELECT 1; SELECT 2'), { message: /expected one statement, got 2/ })
  for (const text of [
    'DELETE FROM m',
    'DROP TABLE m',
    "INSERT INTO m VALUES (3, 'x', 1, 1, true)",
    'CREATE DATABASE x'
  ])
    await t.rejects(ask(text), { code: 'AccessDenied', message: /may only read/ }, text)
  await t.rejects(sql.query({ ...ctx, user: { name: 'w', mode: 'wo' } }, 'SELECT 1'), { code: 'PermissionDenied' })
  await t.rejects(sql.query({ ...ctx, db: 'none' }, 'SELECT 1'), { code: 'DatabaseNotFound' })
  t.strictSame(await ask('SELECT count(*) AS n FROM m'), [{ n: 2n }])
})
