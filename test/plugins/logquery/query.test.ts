import t from 'tap'
import { embeddedOnly } from '../../helpers.ts'
import { minute, startLogs, weblog } from './fixtures.ts'

const column = (name: string) => ({ NamedIdent: name })
const single = (name: string, ...filters: unknown[]) => ({ Single: { expr: column(name), filters } })
const minutes = (rows: unknown[][]) => rows.map(([at]) => (Number(at) - minute(0)) / 60_000)

t.test('log queries', async t => {
  const { server, sql, logs } = await startLogs(t)
  t.equal((await sql(weblog)).status, 200)
  /** The minutes of the lines found. */
  const found = async (query: Record<string, unknown>, options = {}) => {
    const reply = await logs({ table: 'weblog', columns: ['at'], ...query }, options)
    return reply.error === '' ? minutes(reply.rows) : reply.error
  }

  t.test('a table alone is all of it, the newest line first', async t => {
    const { names, types, rows } = await logs({ table: { table_name: 'weblog' } })
    t.equal(names.join(), 'at,host,level,message,status,took,ok,attributes')
    t.equal(types.join(), 'TimestampMillisecond,String,String,String,Int32,Float64,Boolean,Json')
    t.strictSame(minutes(rows), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    t.strictSame(rows.at(-1), [minute(0), 'a', 'info', 'started', 200, 0.5, true, { user: { id: 7 }, name: 'mia' }])
  })

  t.test('the document of the reference is answered', async t => {
    const reply = await logs({
      table: { catalog_name: 'svc', schema_name: 'public', table_name: 'weblog' },
      time_filter: { start: '2024-07-01', end: null, span: null },
      limit: { skip: null, fetch: 50 },
      columns: ['at', 'message'],
      filters: single('message', { Contains: 'timeout' }),
      context: 'None',
      exprs: []
    })
    t.strictSame(reply.rows, [[minute(5), 'timeout after 30 s']])
  })

  t.test('every filter finds what it says', async t => {
    const cases: readonly (readonly [unknown, readonly number[]])[] = [
      [single('level', { Exact: 'error' }), [5, 2]],
      [single('status', { Exact: '500' }), [2]],
      [single('message', { Prefix: 'st' }), [9, 1, 0]],
      [single('message', { Postfix: 'ed' }), [9, 8, 1, 0]],
      [single('message', { Contains: 'onnection' }), [8, 4, 2]],
      [single('message', { Contains: '%_' }), [3]],
      [single('message', { Contains: '' }), [9, 8, 6, 5, 4, 3, 2, 1, 0]],
      [single('message', { Regex: '^(re|ti)\\w+ (of|after)' }), [5, 4]],
      [single('message', { Regex: '(?i)CONNECTION' }), [8, 4, 2]],
      [single('message', { Matches: '"connection reset" OR timeout' }), [5, 2]],
      [single('message', { Matches: 'connection -reset' }), [8, 4]],
      [single('message', { MatchesTerm: '100%_done' }), [3]],
      [single('status', { Prefix: '50' }), [5, 2]],
      [single('message', 'Exist'), [9, 8, 6, 5, 4, 3, 2, 1, 0]],
      [{ Not: single('message', 'Exist') }, [7]],
      [single('status', { Between: { start: '302', end: '504', start_inclusive: true } }), [4, 2]],
      [single('status', { Between: { start: '302', end: '504', end_inclusive: true } }), [5, 2]],
      [single('took', { GreatThan: { value: '12.25' } }), [5, 2]],
      [single('took', { GreatThan: { value: 12.25, inclusive: true } }), [5, 3, 2]],
      [single('took', { LessThan: { value: '0.5', inclusive: true } }), [4, 0]],
      [single('host', { In: ['b', 'c'] }), [9, 7, 5, 3, 1]],
      [single('status', { In: [] }), []],
      [single('ok', 'IsTrue'), [9, 8, 7, 4, 3, 1, 0]],
      [single('ok', 'IsFalse'), [5, 2]],
      [{ Not: single('ok', 'IsFalse') }, [9, 8, 7, 6, 4, 3, 1, 0]],
      [single('ok'), [9, 8, 7, 4, 3, 1, 0]],
      [single('status', { Equal: { Int: 504 } }), [5]],
      [single('status', { Equal: { String: '504' } }), [5]],
      [single('took', { Equal: { Float: 12.25 } }), [3]],
      [single('ok', { Equal: { Boolean: false } }), [5, 2]],
      [single('at', { GreatThan: { value: '2024-07-01 12:08:00' } }), [9]],
      [single('at', { Equal: { String: '2024-07-01T14:08:00+02:00' } }), [8]],
      [single('at', { LessThan: { value: '2024-07-01 12:00:00.0000001' } }), [0]],
      [single('at', { Exact: '2024-07-01 12:00:00.0000001' }), []],
      [single('at', { In: [minute(3), '2024-07-01 12:04:00'] }), [4, 3]],
      [single('at', { In: [minute(3), '2024-07-01 12:04:00.0000001'] }), [3]],
      [single('at', { In: ['2024-07-01 12:04:00.0000001'] }), []],
      [{ Not: single('at', { In: ['2024-07-01 12:04:00.0000001'] }) }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [single('message', { Regex: '(?<what>conn\\w+) [(?<r]' }), [2]],
      [single('level', { Compound: [[{ Exact: 'warn' }, { Exact: 'debug' }], 'Or'] }), [7, 3]],
      [single('level', { Prefix: 'in' }, { Postfix: 'fo' }), [9, 8, 1, 0]],
      [{ And: [single('level', { Exact: 'info' }), single('host', { Exact: 'a' })] }, [8, 0]],
      [{ Or: [single('level', { Exact: 'warn' }), single('status', { Exact: '302' })] }, [4, 3]],
      [
        [single('level', { Exact: 'info' }), { Not: single('host', { Exact: 'a' }) }],
        [9, 1]
      ],
      [{ And: [] }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ Not: single('level', { Exact: 'info' }) }, [7, 5, 4, 3, 2]],
      [single('attributes', { Contains: 'mia' }), [0]]
    ]
    for (const [filters, wanted] of cases) t.strictSame(await found({ filters }), wanted, JSON.stringify(filters))
  })

  t.test('expressions can be filtered, too', async t => {
    const lower = { ScalarFunc: { name: 'lower', args: [column('level')] } }
    t.strictSame(await found({ filters: { Single: { expr: lower, filters: [{ Exact: 'info' }] } } }), [9, 8, 4, 1, 0])
    const double = { BinaryOp: { left: column('took'), op: 'Multiply', right: { Literal: '2' } } }
    const more = { BinaryOp: { left: { Literal: 24.5 }, op: 'Le', right: double } }
    t.strictSame(await found({ filters: { Single: { expr: more } } }), [5, 3, 2])
    const name = { ScalarFunc: { name: 'json_get_string', args: [column('attributes'), { Literal: 'name' }] } }
    t.strictSame(await found({ filters: { Single: { expr: name, filters: [{ Exact: 'leo' }] } } }), [4])
    const both = { BinaryOp: { left: column('ok'), op: 'And', right: more } }
    t.strictSame(await found({ filters: { Single: { expr: both } } }), [3])
  })

  t.test('a time filter is a period, a range, or a span', async t => {
    const cases: readonly (readonly [unknown, unknown])[] = [
      [{ start: '2024' }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ start: '2024-06' }, []],
      [{ start: '2024-07-01', end: '2024-07-01' }, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
      [{ start: '2024-07-01 12:03:00', end: '2024-07-01 12:05:00' }, [4, 3]],
      [{ start: '2024-07-01T12:08:00Z', end: '2024' }, [9, 8]],
      [{ start: '2024-07-01T12:03:00Z', span: '60' }, [3]],
      [{ start: '2024-07-01T12:03:00Z', span: '1m 30s' }, [4, 3]],
      [{ end: '2024-07-01T12:03:00Z', span: 90 }, [2]],
      [{ start: '2024-07-01T12:03:00Z', end: '2024-07-01T12:04:00Z', span: '1h' }, [3]],
      [{ span: '5m' }, []],
      [{ end: '2024' }, /^\$\.time_filter: Invalid time filter/],
      [{}, /^\$\.time_filter: Invalid time filter/],
      [{ start: '2024-07-01T12:03:00Z' }, /Invalid time filter: start alone/],
      [{ start: '2025', end: '2024' }, /Invalid time filter: the end is not behind/],
      [{ start: '2024-02-30' }, /^\$\.time_filter\.start: there is no date/],
      [{ start: 'soon', span: '1h' }, /^\$\.time_filter\.start: 'soon' is not a timestamp/],
      [{ start: '2024', span: 'long' }, /^\$\.time_filter\.span: expected seconds or a duration/]
    ]
    for (const [time_filter, wanted] of cases) {
      const result = await found({ time_filter })
      if (wanted instanceof RegExp) t.match(result, wanted)
      else t.strictSame(result, wanted, JSON.stringify(time_filter))
    }
    const zone = { headers: { 'x-svc-timezone': '+02:00' } }
    t.strictSame(await found({ time_filter: { start: '2024-07-01 14:08:00', span: '2m' } }, zone), [9, 8])
  })

  t.test('limits count the lines of the answer', async t => {
    t.strictSame(await found({ limit: { fetch: 2 } }), [9, 8])
    t.strictSame(await found({ limit: { skip: 3, fetch: 2 } }), [6, 5])
    t.strictSame(await found({ limit: { fetch: 0 } }), [])
    t.match(await found({ limit: { fetch: 999_999, skip: 2 } }), /^\$\.limit\.fetch: .*plugins\.logquery\.max_rows/)
  })

  t.test('a thousand lines come unasked, aggregates see all', async t => {
    await sql("CREATE TABLE many (at TIMESTAMP TIME INDEX, n BIGINT) WITH (append_mode = 'true')")
    await sql(`INSERT INTO many VALUES ${Array.from({ length: 1001 }, (_, i) => `(${i}, ${i})`)}`)
    t.equal((await logs({ table: 'many' })).rows.length, 1000)
    const count = { AggrFunc: { expr: [{ name: 'count', args: [column('n')], alias: 'n' }] } }
    t.strictSame((await logs({ table: 'many', exprs: [count] })).rows, [[1001]])
  })

  t.test('expressions make the columns of the answer', async t => {
    const { names, rows } = await logs({
      table: 'weblog',
      limit: { fetch: 2 },
      exprs: [
        { ScalarFunc: { name: 'upper', args: [column('level')], alias: 'l' } },
        { Alias: { expr: { PositionalIdent: 1 }, alias: 'from' } },
        { BinaryOp: { left: column('status'), op: 'Divide', right: { Literal: 100 } } },
        { ScalarFunc: { name: 'concat', args: [column('l'), { Literal: '!' }] } }
      ]
    })
    t.strictSame(names, ['l', 'from', 'status / 100', 'concat(l, "!")'])
    t.strictSame(rows, [
      ['INFO', 'b', 2, 'INFO!'],
      ['INFO', 'a', 2, 'INFO!']
    ])
  })

  t.test('steps see what those before them left', async t => {
    const lower = { ScalarFunc: { name: 'lower', args: [column('level')], alias: 'level' } }
    const count = { AggrFunc: { expr: [{ name: 'count', args: [], alias: 'n' }], by: [column('level')] } }
    const some = { Filter: { filter: single('n', { GreatThan: { value: '1' } }) } }
    const { names, rows } = await logs({ table: 'weblog', exprs: [lower, count, some] })
    t.strictSame(names, ['level', 'n'])
    t.strictSame(rows, [
      ['error', 2],
      ['info', 5]
    ])
    const busiest = { order_by: [{ expr: column('n'), order: 'desc' }, 'level'], limit: { fetch: 2 } }
    t.strictSame((await logs({ table: 'weblog', exprs: [lower, count], ...busiest })).rows, [
      ['info', 5],
      ['error', 2]
    ])
  })

  t.test('columns taken from groups keep the order of the groups', async t => {
    const by = [column('host'), column('level')]
    const count = { AggrFunc: { expr: [{ name: 'count', args: [], alias: 'n' }], by } }
    const time_filter = { start: '2024-07-01T12:00:00Z', span: '4m' }
    const { names, rows } = await logs({ table: 'weblog', time_filter, exprs: [count, column('level'), column('n')] })
    t.strictSame(names, ['level', 'n'])
    t.strictSame(rows, [
      ['error', 1],
      ['info', 1],
      ['info', 1],
      ['warn', 1]
    ])
  })

  t.test('aggregates count, measure, and know first and last', async t => {
    const functions = ['count_distinct', 'sum', 'avg', 'min', 'max', 'median', 'first_value', 'last_value']
    const expr = functions.map(name => ({ name, args: [column('status')] }))
    const percentile = { name: 'approx_percentile', args: [column('status'), { Literal: '0.5' }] }
    const { rows } = await logs({
      table: 'weblog',
      filters: single('status', 'Exist'),
      exprs: [{ AggrFunc: { expr: [...expr, percentile] } }]
    })
    const [distinct, sum, avg, ...rest] = rows[0]!
    t.strictSame([distinct, sum], [4, 2506])
    t.ok(Math.abs(Number(avg) - 2506 / 9) < 1e-9)
    t.strictSame(rest, [200, 504, 200, 200, 200, 200])
    const bin = { ScalarFunc: { name: 'date_bin', args: [{ Literal: '5m' }, column('at')], alias: 'five' } }
    const counted = { AggrFunc: { expr: [{ name: 'count', args: [{ NamedIdent: '*' }] }], by: [bin] } }
    t.strictSame((await logs({ table: 'weblog', exprs: [counted] })).rows, [
      [minute(0), 5],
      [minute(5), 5]
    ])
  })

  t.test('a number out of range is null', async t => {
    const times = (n: bigint) => ({ BinaryOp: { left: column('status'), op: 'Multiply', right: { Literal: `${n}` } } })
    const { rows } = await logs({ table: 'weblog', limit: { fetch: 1 }, exprs: [times(2n ** 62n), times(2n)] })
    t.strictSame(rows, [[null, 400]])
  })

  t.test('context brings the lines and the seconds beside those found', async t => {
    const reset = single('message', { Contains: 'reset' })
    const errors = single('level', { Exact: 'error' })
    const cases: readonly (readonly [unknown, unknown, Record<string, unknown>, readonly number[]])[] = [
      [reset, 'None', {}, [2]],
      [reset, { Lines: [0, 0] }, {}, [2]],
      [reset, { Lines: [1, 2] }, {}, [4, 3, 2, 1]],
      [reset, { Lines: [100, 0] }, {}, [2, 1, 0]],
      [errors, { Lines: [2, 1] }, {}, [6, 5, 4, 3, 2, 1, 0]],
      [errors, { Lines: [1, 0] }, {}, [5, 4, 2, 1]],
      [errors, { Lines: [1, 0] }, { limit: { fetch: 2, skip: 1 } }, [4, 2]],
      [errors, { Seconds: [60, 0] }, {}, [5, 4, 2, 1]],
      [errors, { Seconds: [59, 120] }, {}, [7, 6, 5, 4, 3, 2]],
      [errors, { Seconds: [0, 60] }, { limit: { fetch: 3 } }, [6, 5, 3]],
      [errors, { Lines: [5, 5] }, { time_filter: { start: '2024-07-01T12:04:00Z', span: '2m' } }, [5, 4]],
      [errors, { Seconds: [600, 600] }, { time_filter: { start: '2024-07-01T12:04:00Z', span: '2m' } }, [5, 4]],
      [single('level', { Exact: 'none' }), { Lines: [5, 5] }, {}, []]
    ]
    for (const [filters, context, more, wanted] of cases) {
      t.strictSame(await found({ filters, context, ...more }), wanted, JSON.stringify({ filters, context, ...more }))
    }
    const exprs = [{ AggrFunc: { expr: [{ name: 'count', args: [] }] } }]
    t.match(
      await found({ filters: errors, context: { Lines: [1, 1] }, exprs }),
      /^\$\.context\.Lines: rows have no context/
    )
  })

  t.test('the newest lines of a large table are the newest', embeddedOnly, async t => {
    await sql(
      `CREATE TABLE large (at TIMESTAMP(6) TIME INDEX, text STRING SKIPPING INDEX, n BIGINT, note STRING SKIPPING INDEX)
       WITH (append_mode = 'true')`
    )
    const insert = (from: number, to: number) =>
      sql(
        `INSERT INTO large SELECT r // 2, md5(r::STRING) || md5((r + 1)::STRING), r % 1000, 'x' FROM range(${from}, ${to}) t(r)`
      )
    await insert(0, 30_000)
    await sql("ADMIN flush_table('large')")
    await insert(30_000, 40_000)
    const times = async (query: Record<string, unknown>) =>
      (await logs({ table: 'large', columns: ['at', 'n'], ...query })).rows.map(([at]) => Number(at))
    const newest = await times({})
    t.equal(newest.length, 1000)
    t.strictSame([newest[0], newest.at(-1)], [19_999, 19_500])
    t.strictSame(
      await times({ filters: single('n', { Exact: '4' }), limit: { skip: 1, fetch: 3 } }),
      [19_002, 18_502, 18_002]
    )
    t.strictSame(await times({ filters: single('n', { Exact: '-1' }) }), [])
    t.strictSame(await times({ limit: { skip: 39_999, fetch: 5 } }), [0])
    const range = { time_filter: { start: '1970-01-01T00:00:00.000100Z', end: '1970-01-01T00:00:00.000102Z' } }
    t.strictSame(await times(range), [101, 101, 100, 100])
    t.equal((await times({ filters: single('note', { Exact: 'x' }), limit: { fetch: 5 } }))[0], 19_999)
    const reads = async () => {
      const read = /^svc_storage_parts_read_total\{part="file",path="scan"\} (\d+)$/m
      return Number(read.exec(await server.core.metrics.expose())?.[1] ?? 0)
    }
    const before = await reads()
    const [[text]] = (await sql('SELECT text FROM large WHERE at = 7 LIMIT 1')).rows as [[string]]
    t.strictSame(await times({ filters: single('text', { Exact: text }) }), [7])
    t.equal((await reads()) - before, 2, 'rows that an index tells are read at once')
  })

  t.test('names of tables and columns may be anything', async t => {
    const strange = `a"b$1 'c' é`
    await sql(
      `CREATE TABLE "${strange.replaceAll('"', '""')}" (at TIMESTAMP TIME INDEX, "${strange.replaceAll('"', '""')}" STRING, "Level" STRING, level STRING)`
    )
    await sql(`INSERT INTO "${strange.replaceAll('"', '""')}" VALUES (1, 'x''y', 'upper', 'lower')`)
    const reply = await logs({
      table: strange,
      columns: [strange, 'Level', 'level'],
      filters: single(strange, { Exact: "x'y" })
    })
    t.strictSame(reply.rows, [["x'y", 'upper', 'lower']])
    t.strictSame(reply.names, [strange, 'Level', 'level'])
    t.strictSame((await logs({ table: strange, filters: single('Level', { Exact: 'lower' }) })).rows, [])
  })

  t.test('metric tables and tables whose rows are overwritten can be asked, too', async t => {
    await sql('CREATE TABLE state (at TIMESTAMP TIME INDEX, host STRING PRIMARY KEY, note STRING)')
    await sql("INSERT INTO state VALUES (1, 'a', 'old'), (2, 'a', 'other')")
    await sql("ADMIN flush_table('state')")
    await sql("INSERT INTO state VALUES (1, 'a', 'new')")
    t.strictSame((await logs({ table: 'state', columns: ['note'] })).rows, [['other'], ['new']])
    t.strictSame((await logs({ table: 'state', filters: single('note', { Exact: 'old' }) })).rows, [])
  })
})
