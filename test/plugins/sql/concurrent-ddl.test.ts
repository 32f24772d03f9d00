// Statements about tables, views and databases at the same time: each is answered as one that ran alone at some moment would be.
import t from 'tap'
import { askSql, startServer, temporaryFolder } from '../../helpers.ts'
import { Random } from '../../process/chaos/random.ts'

const names = ['a', 'b']
const columns = '(ts TIMESTAMP(3) TIME INDEX, host STRING, v BIGINT, PRIMARY KEY (host))'

/** With IF EXISTS, IF NOT EXISTS or OR REPLACE, so none of them can fail. */
const lenient: readonly ((name: string) => string)[] = [
  name => `CREATE TABLE IF NOT EXISTS t_${name} ${columns}`,
  name => `CREATE TABLE IF NOT EXISTS t_${name} LIKE model`,
  name => `CREATE TABLE IF NOT EXISTS t_${name} AS SELECT ts, v FROM model`,
  name => `DROP TABLE IF EXISTS t_${name}`,
  name => `CREATE VIEW IF NOT EXISTS v_${name} AS SELECT host, v FROM model`,
  name => `CREATE OR REPLACE VIEW v_${name} AS SELECT v FROM model`,
  name => `DROP VIEW IF EXISTS v_${name}`,
  name => `CREATE DATABASE IF NOT EXISTS d_${name}`,
  name => `DROP DATABASE IF EXISTS d_${name}`
]

/** They tell the user what is, or is not, there. */
const strict: readonly ((name: string) => string)[] = [
  name => `CREATE TABLE t_${name} ${columns}`,
  name => `DROP TABLE t_${name}`,
  name => `ALTER TABLE t_${name} RENAME u_${name}`,
  name => `ALTER TABLE u_${name} RENAME t_${name}`,
  name => `TRUNCATE TABLE t_${name}`,
  name => `INSERT INTO t_${name} (ts, v) VALUES (1, 1)`,
  name => `CREATE VIEW v_${name} AS SELECT host FROM model`,
  name => `DROP VIEW v_${name}`,
  name => `CREATE DATABASE d_${name}`,
  name => `DROP DATABASE d_${name}`
]

t.test('statements that name one thing at the same time', async t => {
  const folder = temporaryFolder(t)
  const first = await startServer(t, '', { folder })
  await askSql(first, `CREATE TABLE model ${columns}`)
  await askSql(first, "INSERT INTO model VALUES (1, 'h', 1)")
  const ask = (sql: string) => first.main.inject({ url: `/v1/sql?${new URLSearchParams({ sql })}` })
  const wrong: string[] = []
  for (let round = 0; round < 60; round++) {
    const random = Random.at(7, round)
    const statements = Array.from({ length: random.between(2, 8) }, () => {
      const isLenient = random.chance(0.6)
      return { isLenient, sql: random.pick(isLenient ? lenient : strict)(random.pick(names)) }
    })
    const answers = await Promise.all(statements.map(({ sql }) => ask(sql)))
    for (const [i, { isLenient, sql }] of statements.entries()) {
      const { statusCode, body } = answers[i]!
      if (statusCode === 200 || (!isLenient && statusCode >= 400 && statusCode < 500)) continue
      wrong.push(`round ${round}: ${sql}: ${statusCode} ${body}`)
    }
    for (const [name] of await askSql(first, 'SHOW TABLES')) {
      const { statusCode, body } = await ask(`SELECT count(*) FROM ${name}`)
      if (statusCode !== 200) wrong.push(`round ${round}: ${name} is listed: ${statusCode} ${body}`)
    }
  }
  t.strictSame(wrong, [])
  const listed = async (server: typeof first) => [
    await askSql(server, 'SHOW TABLES'),
    await askSql(server, 'SHOW DATABASES')
  ]
  const before = await listed(first)
  await first.close()
  t.strictSame(await listed(await startServer(t, '', { folder })), before, 'all of it is there after a restart')
})

t.test('of several that create one thing, one does', async t => {
  const server = await startServer(t)
  await askSql(server, `CREATE TABLE model ${columns}`)
  const fourTimes = async (sql: string) => {
    const ask = () => server.main.inject({ url: `/v1/sql?${new URLSearchParams({ sql })}` })
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    return answers.map(({ statusCode }) => statusCode).sort()
  }
  const created = [
    ['TABLE', 'x', '(ts TIMESTAMP(3) TIME INDEX)'],
    ['TABLE', 'y', 'LIKE model'],
    ['VIEW', 'z', 'AS SELECT 1'],
    ['DATABASE', 'w', '']
  ] as const
  for (const [kind, name, rest] of created) {
    t.strictSame(await fourTimes(`CREATE ${kind} ${name} ${rest}`), [200, 400, 400, 400], `${kind} ${rest}`)
    await askSql(server, `DROP ${kind} ${name}`)
    t.strictSame(
      await fourTimes(`CREATE ${kind} IF NOT EXISTS ${name} ${rest}`),
      [200, 200, 200, 200],
      `${kind} ${rest}`
    )
    t.strictSame(await fourTimes(`DROP ${kind} IF EXISTS ${name}`), [200, 200, 200, 200], `${kind} ${rest}`)
  }
})
