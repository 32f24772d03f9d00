// Users limited to databases: SQL and writes tell them nothing of other databases and change none. routes.test.ts walks the routes.
import t from 'tap'
import { parseUserFile, parseUserList } from '../../../core/auth/users.ts'
import { startServer } from '../../helpers.ts'

t.test('the users file says databases and modes', async t => {
  const warnings: string[] = []
  const users = parseUserFile(
    'ann:ro@a=1\nbob:rw@a+b;wo@c=2\ncid:ro=3\ndot:ro@=4\neve:xx@a=5\nfay:ro@a@b=6\n',
    warning => void warnings.push(warning)
  )
  t.match(users.get('ann'), { mode: 'ro', databases: new Map([['a', 'ro']]) })
  t.match(users.get('bob'), {
    mode: 'rw',
    databases: new Map([
      ['a', 'rw'],
      ['b', 'rw'],
      ['c', 'wo']
    ])
  })
  t.equal(users.get('cid')?.databases, undefined)
  t.equal(users.size, 3)
  t.match(warnings, [/line 4.*databases of user dot/, /line 5.*permission mode of user eve/, /line 6/])
  t.match(parseUserList('x:wo@a+b=1').get('x'), { mode: 'wo' })
})

const toml = 'user_provider = "static_user_provider:cmd:root=r,ann:rw@a=a,ro:ro@a=a,mix:ro@a;wo@c=a"'
const headers = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${user === 'root' ? 'r' : 'a'}`).toString('base64')}`
})

async function serve(t: Parameters<typeof startServer>[0]) {
  const server = await startServer(t, toml)
  const { main } = server
  const ask = (user: string, sql: string, db?: string) =>
    main.inject({
      method: 'POST',
      url: `/v1/sql${db === undefined ? '' : `?db=${db}`}`,
      headers: { ...headers(user), 'content-type': 'application/x-www-form-urlencoded' },
      payload: `sql=${encodeURIComponent(sql)}`
    })
  for (const db of ['a', 'b', 'c']) t.equal((await ask('root', `CREATE DATABASE ${db}`)).statusCode, 200)
  const write = (user: string, db: string, line: string, more = '') =>
    main.inject({ method: 'POST', url: `/v1/lineproto/write?db=${db}${more}`, headers: headers(user), payload: line })
  t.equal((await write('root', 'a', 'own v=1 1000')).statusCode, 204)
  t.equal((await write('root', 'b', 'canary_table,canary_tag=canary-value canary_field=7 1000')).statusCode, 204)
  t.equal((await ask('root', 'CREATE VIEW canary_view AS SELECT * FROM canary_table', 'b')).statusCode, 200)
  t.equal((await ask('root', 'CREATE VIEW peep AS SELECT count(*) AS n FROM b.canary_table', 'a')).statusCode, 200)
  return { ...server, ask, write }
}

t.test('SQL: no statement reads, changes or names anything of another database', async t => {
  const { ask } = await serve(t)
  t.equal((await ask('ann', 'SELECT * FROM own')).statusCode, 200, 'without a name it is the database of the user')
  t.equal((await ask('ann', 'INSERT INTO own (v, greptime_timestamp) VALUES (1, 1)', 'a')).statusCode < 500, true)
  t.equal((await ask('ann', 'SELECT 1', 'b')).statusCode, 403)
  t.equal((await ask('ann', 'SELECT 1', 'nowhere')).statusCode, 403, 'whether there is one is not told')
  const statements = [
    'SELECT * FROM b.canary_table',
    'SELECT * FROM svc.b.canary_table',
    'SELECT * FROM peep',
    'SELECT * FROM b.canary_view',
    'SELECT count(*) FROM own, b.canary_table',
    'WITH x AS (SELECT * FROM b.canary_table) SELECT * FROM x',
    'SHOW TABLES FROM b',
    'SHOW FULL TABLES FROM b',
    'SHOW VIEWS FROM b',
    'SHOW CREATE TABLE b.canary_table',
    'SHOW COLUMNS FROM canary_table FROM b',
    'DESCRIBE TABLE b.canary_table',
    'EXPLAIN SELECT * FROM b.canary_table',
    'USE b; SHOW TABLES',
    'SHOW DATABASES',
    'DELETE FROM b.canary_table WHERE canary_field = 7',
    'INSERT INTO b.canary_table SELECT * FROM own',
    'INSERT INTO own SELECT * FROM b.canary_table',
    'CREATE TABLE b.mine (ts TIMESTAMP TIME INDEX)',
    'CREATE VIEW b.mine AS SELECT 1',
    'CREATE VIEW mine AS SELECT * FROM b.canary_table',
    'ALTER TABLE b.canary_table ADD COLUMN x INT',
    'DROP TABLE b.canary_table',
    'DROP VIEW b.canary_view',
    'TRUNCATE TABLE b.canary_table',
    'DROP DATABASE b',
    'CREATE DATABASE mine',
    "ADMIN flush_table('b.canary_table')",
    'ADMIN flush()',
    "COPY b.canary_table TO 'x.parquet'",
    "TQL EVAL (0, 10, '5s') canary_table{__database__='b'}",
    "TQL EVAL (0, 10, '5s') {__database__='b', __name__=~'.+'}",
    ...[
      'tables',
      'columns',
      'schemata',
      'views',
      'table_constraints',
      'key_column_usage',
      'partitions',
      'region_statistics',
      'runtime_metrics'
    ].map(table => `SELECT * FROM information_schema.${table}`)
  ]
  for (const statement of statements) {
    const { body } = await ask('ann', statement)
    const told = body.replaceAll(statement, '').replaceAll('b.canary_table', '').replaceAll('b.canary_view', '')
    t.notMatch(told, /canary_(tag|field)|canary-value/, statement)
    if (!/canary_(table|view)/.test(statement)) t.notMatch(told, /canary/, statement)
  }
  const { output } = (await ask('root', 'SELECT count(*), max(canary_field) FROM canary_table', 'b')).json()
  t.strictSame(output[0].records.rows, [[1, 7]], 'all is as it was')
  t.match((await ask('root', 'SHOW DATABASES')).body, /"b"/)
  t.notMatch((await ask('ann', 'SHOW DATABASES')).body, /"b"/)
})

t.test('modes count for each database', async t => {
  const { ask, write } = await serve(t)
  t.equal((await write('ann', 'a', 'own v=2 2000')).statusCode, 204)
  t.equal((await write('ann', 'b', 'own v=2 2000')).statusCode, 403)
  t.equal((await write('ann', 'a', 'own v=2 2000', '&bucket=b')).statusCode, 204, 'the name that counts is allowed')
  t.equal((await write('ro', 'a', 'own v=2 2000')).statusCode, 403)
  t.equal((await ask('ro', 'SELECT * FROM own')).statusCode, 200)
  t.equal((await write('mix', 'c', 'own v=2 2000')).statusCode, 204)
  t.equal((await write('mix', 'a', 'own v=2 2000')).statusCode, 403)
  t.equal((await ask('mix', 'SELECT * FROM own', 'a')).statusCode, 200)
  t.equal((await ask('mix', 'SELECT * FROM own', 'c')).statusCode, 403)
  t.equal((await ask('mix', 'SELECT * FROM c.own', 'a')).statusCode, 403)
})

t.test('remote write does not get to another database by keys that somebody else has made known', async t => {
  const { main, ask } = await serve(t)
  const text = (number: number, value: string) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), Buffer.from(value)])
  const part = (number: number, bytes: Buffer) => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  const labels = [
    ['__database__', 'b'],
    ['__name__', 'm']
  ].map(([name, value]) => part(1, Buffer.concat([text(1, name!), text(2, value!)])))
  const sample = part(2, Buffer.concat([Buffer.from([0x09]), Buffer.alloc(8), Buffer.from([0x10, 1])]))
  const series = part(1, Buffer.concat([...labels, sample]))
  const { encodeSnappy } = await import('../../../core/wire/index.ts')
  const post = (user: string) =>
    main.inject({
      method: 'POST',
      url: '/v1/metricsys/write?db=a',
      headers: { ...headers(user), 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      payload: Buffer.from(encodeSnappy(series))
    })
  t.equal((await post('ann')).statusCode, 403)
  t.equal((await post('root')).statusCode, 204)
  t.equal((await post('ann')).statusCode, 403, 'also once the key is known')
  t.equal((await ask('root', 'SELECT * FROM m', 'b')).statusCode, 200)
})
