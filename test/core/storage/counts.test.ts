// Statements that count rows answer the same from counts as from the rows, however they are written; and are not taken for others.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Table } from '../../../core/model/table.ts'
import type { Engine, PartRead } from '../../../core/storage/engine.ts'
import { temporaryFolder } from '../../helpers.ts'
import { ForcedPaths, fixed, never, openEngine, text, times } from './fixtures.ts'

const start = Date.UTC(2026, 0, 1)
const levels = ['info', 'warn', 'error', 'ERROR', '', 'žluť', undefined, "o'clock"]

/** A table `logs(at time, level String, status Int64, ok Boolean, note String)` that keeps every row. */
function createLogs(engine: Engine, options = { append_mode: true }): Promise<Table> {
  const field = (name: string, type: 'String' | 'Int64' | 'Boolean') =>
    ({ name, type, semantic: 'field', nullable: true }) as const
  return engine.catalog.createTable({
    database: 'public',
    name: 'logs',
    columns: [
      { name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false },
      field('level', 'String'),
      field('status', 'Int64'),
      field('ok', 'Boolean'),
      field('note', 'String')
    ],
    options
  })
}

/** Rows some milliseconds apart. */
async function write(engine: Engine, table: Table, from: number, rows: number, apart: number): Promise<void> {
  const any = (below: number) => Math.floor(Math.random() * below)
  const columns = [
    times(
      'at',
      Array.from({ length: rows }, (_, i) => from + i * apart + any(apart))
    ),
    text(
      'level',
      Array.from({ length: rows }, () => levels[any(levels.length)])
    ),
    fixed(
      'status',
      'Int64',
      BigInt64Array.from({ length: rows }, () => BigInt(200 + 100 * any(4)))
    ),
    fixed(
      'ok',
      'Boolean',
      Uint8Array.from({ length: rows }, () => any(2))
    ),
    text(
      'note',
      Array.from({ length: rows }, () => `note ${any(1e9)}`)
    )
  ]
  await engine.write([{ table, rows, columns, op: 'put' }], never)
}

interface Answer {
  readonly rows: readonly unknown[][]
  readonly names: readonly string[]
  readonly reading: readonly PartRead[]
}

/** Of a statement that names the table as `@`; its columns are those whose names stand in it. */
async function ask(engine: Engine, table: Table, sql: string, timezone = 'UTC'): Promise<Answer> {
  const place = sql.indexOf('@')
  const columns = table.columns.map(({ name }) => name).filter(name => new RegExp(`\\b${name}\\b`, 'i').test(sql))
  const relations = [{ start: place, end: place + 1, table, alias: 't', columns }]
  const result = await engine.query({ kind: 'sql', text: sql, relations, timezone }, never)
  const rows: unknown[][] = []
  for await (const batch of result.batches()) {
    for (let i = 0; i < batch.rows; i++) {
      rows.push(
        batch.columns.map(({ values, valid }) =>
          valid === undefined || (valid[i >> 3]! & (1 << (i & 7))) !== 0 ? values[i] : null
        )
      )
    }
  }
  const key = (row: readonly unknown[]) => row.map(value => String(value)).join('|')
  rows.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return { rows, names: result.columns.map(({ name, type }) => `${name} ${type}`), reading: result.reading!() }
}

/** Statements that counts answer. */
const counting = [
  'SELECT level, count(*) FROM @ GROUP BY level',
  'select LEVEL, COUNT( * ) as n from @ group by 1 order by n desc, 1',
  'SELECT count(*) FROM @',
  'SELECT count() AS n FROM @',
  'SELECT count(level) AS n, count(*) AS m FROM @',
  'SELECT count("level") FILTER (WHERE level <> \'a)\') AS n FROM @',
  "SELECT count(*) FILTER (WHERE level IN ('error', 'warn')) AS n, count(*) AS m FROM @",
  "SELECT count(*) FILTER (level LIKE 'e%') AS n FROM @",
  'SELECT level, count(*) AS n FROM @ GROUP BY ALL HAVING count(*) > 10 ORDER BY count(*)',
  'SELECT lower(level) AS l, count(*) * 2 AS n FROM @ GROUP BY l',
  'SELECT DISTINCT level FROM @',
  'SELECT count(DISTINCT level) AS n, min(level) AS a, max(t.level) AS b FROM @',
  'SELECT level FROM @ GROUP BY level',
  'SELECT status, count(*) FROM @ WHERE status >= 400 GROUP BY status',
  'SELECT status // 100 AS class, count(*) AS n FROM @ GROUP BY class',
  'SELECT ok, count(*), count(ok) AS there FROM @ GROUP BY ok',
  "SELECT CASE WHEN level = 'error' THEN 1 ELSE 0 END AS e, count(*) FROM @ GROUP BY e",
  "SELECT count(*) FROM @ WHERE level IS NULL OR level = ''",
  "SELECT count(*) FROM @ WHERE level = 'nothing'",
  "SELECT level, count(*) FROM @ WHERE level = 'nothing' GROUP BY level",
  "SELECT date_trunc('minute', \"at\") AS m, count(*) FROM @ WHERE level = 'error' GROUP BY m",
  'SELECT time_bucket(INTERVAL \'5 minutes\', "at") AS m, level, count(*) FROM @ GROUP BY ALL',
  'SELECT time_bucket(INTERVAL 1 HOUR, "at"::TIMESTAMP) AS m, count(*) FROM @ GROUP BY m',
  'SELECT "at"::DATE AS d, count(*) FROM @ GROUP BY d',
  'SELECT date_trunc(\'month\', "at") AS m, count(*) FROM @ GROUP BY m HAVING count(*) > 0',
  'SELECT n, count(*) FROM (SELECT level, count(*) AS n FROM @ GROUP BY level) GROUP BY n',
  'WITH c AS (SELECT level, count(*) AS n FROM @ GROUP BY level) SELECT sum(n) FROM c',
  'SELECT 1 AS one, (SELECT count(*) FROM @) AS n',
  'SELECT count(*) FROM @ UNION ALL SELECT 5'
]

/** Constants that come several times, and near each other. */
function repeated(a: string, b: string, c: string): string {
  const filtered = (time: string) => `count(*) FILTER (WHERE "at" >= ${a} AND "at" < ${time})`
  return `SELECT ${filtered(a)} AS n, ${filtered(b)} AS m, ${filtered(c)} AS o FROM @ WHERE "at" >= ${a} OR "at" < ${b}`
}

/** Of times: between these places every minute or so is a border. */
function timed(at: (milliseconds: number) => string, isTyped: boolean): readonly string[] {
  const any = () => Math.floor(Math.random() * 4_000_000) - 200_000
  const whole = () => Math.floor(any() / 60_000) * 60_000
  return [any, whole].flatMap(place => [
    `SELECT level, count(*) FROM @ WHERE "at" >= ${at(place())} GROUP BY level`,
    `SELECT count(*) FROM @ WHERE "at" > ${at(place())} AND level = 'info'`,
    `SELECT count(*) FROM @ WHERE ${at(place())} >= "at"`,
    `SELECT count(*) FROM @ WHERE "at" < ${at(place())} OR "at" >= ${at(place())}`,
    `SELECT count(*) FROM @ WHERE "at" BETWEEN ${at(place())} AND ${at(place() + 600_000)}`,
    `SELECT count(*) FROM @ WHERE "at" = ${at(place())}`,
    repeated(at(place()), at(place()), at(place())),
    `SELECT count(*) FROM @ WHERE "at" <> ${at(place())}`,
    `SELECT count(*) FROM @ WHERE NOT ("at" <= ${at(place())})`,
    `SELECT date_trunc('hour', "at") AS h, count(*) FILTER (WHERE "at" >= ${at(place())}) AS n FROM @ GROUP BY h`,
    ...(isTyped
      ? [
          `SELECT level, count(*) FROM @ WHERE "at" >= ${at(place())} - INTERVAL '90 seconds' AND "at" < ${at(place())} + INTERVAL 1 MINUTE GROUP BY level`
        ]
      : [])
  ])
}

/** Statements that need the rows. */
const others = [
  'SELECT level FROM @ LIMIT 3',
  'SELECT level, status, count(*) FROM @ GROUP BY level, status',
  'SELECT sum(status) FROM @',
  'SELECT avg(status) FROM @',
  'SELECT list(level) FROM @',
  'SELECT min("at") FROM @',
  'SELECT count("at") AS n FROM @',
  'SELECT date_trunc(\'second\', "at") AS s, count(*) FROM @ GROUP BY s',
  'SELECT time_bucket(INTERVAL \'90 seconds\', "at") AS s, count(*) FROM @ GROUP BY s',
  'SELECT extract(second FROM "at") AS s, count(*) FROM @ GROUP BY s',
  'SELECT count(*) OVER () AS n FROM @ ORDER BY level LIMIT 1',
  "SELECT count(*) FROM @ WHERE note LIKE 'note 1%'",
  'SELECT count(*) AS n FROM @ WHERE random() >= 0',
  'SELECT count(*) FROM @ WHERE "at" > (SELECT TIMESTAMP \'2026-01-01 00:10:00\')',
  "SELECT count(level || 'x') AS n FROM @",
  'SELECT count(*) FROM @ JOIN (SELECT 1 AS one) b ON true'
]

const literal = (offset: number) => `'${new Date(start + offset).toISOString().replace('T', ' ').replace('Z', '')}'`
const spellings: readonly ((offset: number) => string)[] = [
  literal,
  offset => `'${new Date(start + offset).toISOString().slice(0, 19)}'`,
  offset => `TIMESTAMP ${literal(offset)}`,
  offset => `CAST(${literal(offset)} AS TIMESTAMP)`,
  offset => `make_timestamp(${start + offset}000)`
]

const isCounted = ({ reading }: Answer) => reading.some(({ path }) => path === 'counts')

t.test('counts and rows give the same answers', async t => {
  const forced = new ForcedPaths()
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir, { limits: forced.limits })
  const table = await createLogs(engine)
  await write(engine, table, start, 20_000, 60)
  await engine.maintain({ kind: 'flush', table }, never)
  await write(engine, table, start + 900_000, 30_000, 90)
  await engine.maintain({ kind: 'flush', table }, never)
  await write(engine, table, start + 3_000_000, 12_000, 50)
  await ask(engine, table, 'SELECT count(*) FROM @')
  await write(engine, table, start + 3_300_000, 3_000, 200)
  const asked = [...counting, ...spellings.flatMap((spelling, i) => timed(spelling, i > 1))]
  for (const state of ['in memory', 'in files']) {
    for (const sql of asked) {
      const answers: Answer[] = []
      for (const _ of forced.each()) answers.push(await ask(engine, table, sql))
      t.ok(isCounted(answers[0]!), `${sql} is answered from counts`)
      t.notOk(isCounted(answers[1]!))
      for (const answer of answers.slice(1)) {
        t.strictSame(answers[0]!.rows, answer.rows, `${sql} ${state}`)
        t.strictSame(answers[0]!.names, answer.names, sql)
      }
    }
    for (const sql of others) t.notOk(isCounted(await ask(engine, table, sql)), `${sql} needs the rows`)
    const { reading } = await ask(engine, table, counting[0]!)
    t.ok(
      reading.every(({ path }) => path === 'counts'),
      `all parts are counted ${state}`
    )
    await engine.maintain({ kind: 'flush', table }, never)
  }
  const zoned = await ask(engine, table, asked.at(-1)!, 'America/New_York')
  t.notOk(isCounted(zoned), 'times of another zone are compared row by row')
})

t.test('rows in memory are counted as they are copied, whichever columns the copies hold', async t => {
  const forced = new ForcedPaths()
  const engine = await openEngine(t, temporaryFolder(t), { limits: forced.limits })
  const table = await createLogs(engine)
  const same = async (sql: string, rows: number, isIn: boolean) => {
    const answers: Answer[] = []
    for (const _ of forced.each()) answers.push(await ask(engine, table, sql))
    for (const answer of answers.slice(1)) t.strictSame(answers[0]!.rows, answer.rows, `${sql}, ${rows} rows`)
    t.equal(isCounted(answers[0]!), isIn, `${sql}, ${rows} rows`)
  }
  await write(engine, table, start, 5_000, 60)
  await same('SELECT level, count(*) FROM @ GROUP BY level', 5_000, false)
  await write(engine, table, start + 300_000, 45_000, 60)
  await same('SELECT level, count(*) FROM @ GROUP BY level', 50_000, true)
  await same('SELECT status, count(*) FROM @ GROUP BY status', 50_000, true)
  await same('SELECT ok, count(*) FROM @ WHERE "at" >= TIMESTAMP \'2026-01-01 00:12:34.567\' GROUP BY ok', 50_000, true)
  await same('SELECT note, count(*) FROM @ GROUP BY note', 50_000, false)
  await same('SELECT level, count(*) FROM @ GROUP BY level', 50_000, true)
  await write(engine, table, start + 900_000, 700, 60)
  await same('SELECT level, count(*) FROM @ GROUP BY level', 50_700, true)
  await same('SELECT count(*) FROM @', 50_700, true)
})

t.test('a file without counts, or with damaged ones, is read', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const table = await createLogs(engine)
  await write(engine, table, start, 20_000, 60)
  await engine.maintain({ kind: 'flush', table }, never)
  await engine.close()
  const data = join(dir, 'data')
  const [file] = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.counts'))
  writeFileSync(join(data, file!), 'no counts')
  const again = await openEngine(t, dir)
  const answer = await ask(again, again.catalog.table('public', 'logs')!, 'SELECT count(*) FROM @')
  t.strictSame(answer.rows, [[20_000n]])
})

t.test('rows that may hide one another are not counted', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createLogs(engine, { append_mode: false })
  for (let i = 0; i < 2; i++) {
    await write(engine, table, start, 20_000, 1)
    await engine.maintain({ kind: 'flush', table }, never)
  }
  const answer = await ask(engine, table, 'SELECT count(*) FROM @')
  t.strictSame([answer.rows, isCounted(answer)], [[[20_000n]], false])
})

t.test('times of every unit', async t => {
  for (const [type, perMillisecond] of [
    ['TimestampSecond', 0.001],
    ['TimestampMicrosecond', 1_000],
    ['TimestampNanosecond', 1_000_000]
  ] as const) {
    const forced = new ForcedPaths()
    const engine = await openEngine(t, temporaryFolder(t), { limits: forced.limits })
    const table = await engine.catalog.createTable({
      database: 'public',
      name: 'logs',
      columns: [
        { name: 'at', type, semantic: 'timestamp', nullable: false },
        { name: 'level', type: 'String', semantic: 'field', nullable: true }
      ],
      options: { append_mode: true }
    })
    const rows = 40_000
    const at = Array.from({ length: rows }, (_, i) => BigInt(Math.floor((start + i * 100) * perMillisecond)))
    const level = Array.from({ length: rows }, (_, i) => levels[i % levels.length])
    const columns = [fixed('at', type, BigInt64Array.from(at), 'timestamp'), text('level', level)]
    await engine.write([{ table, rows, columns, op: 'put' }], never)
    for (const place of ['memory', 'a file']) {
      for (const sql of timed(offset => `TIMESTAMP ${literal(offset)}`, true)) {
        const answers: Answer[] = []
        for (const _ of forced.each()) answers.push(await ask(engine, table, sql))
        t.ok(isCounted(answers[0]!), sql)
        for (const answer of answers.slice(1)) t.strictSame(answers[0]!.rows, answer.rows, `${sql} ${type} ${place}`)
      }
      await engine.maintain({ kind: 'flush', table }, never)
    }
  }
})
