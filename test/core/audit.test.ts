import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startServer, temporaryFolder } from '../helpers.ts'

const users = 'user_provider = "static_user_provider:cmd:root=r,ann:rw@a=a,ro:ro=r"\n'

async function serve(t: Parameters<typeof startServer>[0], audit: string) {
  const folder = temporaryFolder(t)
  const server = await startServer(t, `${users}${audit}`, { folder })
  const headers = (user: string, password = user[0]!) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  })
  const ask = (user: string, sql: string, password?: string) =>
    server.main.inject({
      method: 'GET',
      url: `/v1/sql?${new URLSearchParams({ sql })}`,
      headers: headers(user, password)
    })
  const lines = async () => {
    await server.close()
    const dir = join(folder, 'data', 'audit')
    if (!existsSync(dir)) return []
    return readdirSync(dir).flatMap(file =>
      readFileSync(join(dir, file), 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
    )
  }
  return { ...server, ask, headers, lines }
}

t.test('changes, deletes, calls and refused logins are lines; reads and writes of rows are none', async t => {
  const { main, ask, headers, lines } = await serve(t, '[audit]\nenable = true')
  await ask('root', 'CREATE DATABASE a')
  await ask('root', 'CREATE TABLE x (v DOUBLE, ts TIMESTAMP TIME INDEX)')
  await ask('root', 'INSERT INTO x VALUES (1, 1), (2, 2)')
  await ask('root', 'SELECT * FROM x')
  await ask('root', 'CREATE DATABASE IF NOT EXISTS a')
  await ask('root', 'CREATE TABLE IF NOT EXISTS x (ts TIMESTAMP(3) TIME INDEX, v BIGINT)')
  await ask('root', 'DELETE FROM x WHERE v = 1')
  await ask('ro', 'DROP TABLE x')
  await ask('ann', 'CREATE DATABASE mine')
  await ask('root', 'ALTER TABLE x ADD COLUMN w BIGINT')
  await ask('root', 'TRUNCATE TABLE x')
  await ask('root', "ADMIN flush_table('x')")
  await ask('root', 'DROP TABLE x')
  await ask('root', 'SELECT 1', 'wrong')
  await main.inject({
    method: 'POST',
    url: '/v1/pipelines/p',
    headers: { ...headers('root'), 'content-type': 'text/yaml' },
    payload: 'x'
  })
  await main.inject({ method: 'POST', url: '/debug/log_level', headers: headers('root'), payload: 'info' })
  const found = await lines()
  const shown = found.map(({ action, user, target, result }) => [action, user, target, result])
  t.strictSame(shown, [
    ['create_database', 'root', 'a', 'ok'],
    ['create_table', 'root', 'public.x', 'ok'],
    ['delete', 'root', 'public.x (1 rows)', 'ok'],
    ['create_database', 'ann', 'mine', 'AccessDenied'],
    ['alter_table', 'root', 'public.x', 'ok'],
    ['truncate_table', 'root', 'public.x', 'ok'],
    ['flush', 'root', 'public.x', 'ok'],
    ['drop_table', 'root', 'public.x', 'ok'],
    ['login', 'root', '/v1/sql', 'UserPasswordMismatch'],
    ['call', 'root', 'POST /v1/pipelines/p', '1004'],
    ['call', shown.at(-1)?.[1], 'POST /debug/log_level', 'ok']
  ])
  t.match(found[0], { time: /^\d{4}-.*Z$/, address: '127.0.0.1', server: 'main', db: 'public' })
})

t.test('without it there is no folder', async t => {
  const { ask, lines } = await serve(t, '')
  await ask('root', 'CREATE DATABASE a')
  t.strictSame(await lines(), [])
})

t.test('lines beyond the size of a file are lost and counted', async t => {
  const { ask, core, lines } = await serve(t, '[audit]\nenable = true\nmax_file_size = "400"')
  for (const name of ['a', 'b', 'c', 'd']) await ask('root', `CREATE DATABASE ${name}`)
  const samples = await core.metrics.samples()
  const lost = samples.find(({ name }) => name === 'svc_audit_lines_lost_total')!.value
  t.ok(lost > 0 && lost < 4)
  t.equal((await lines()).length, 4 - lost)
})
