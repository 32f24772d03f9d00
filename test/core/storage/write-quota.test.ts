import t from 'tap'
import { type Column, internalContext, type SeriesLabel, type TableWrite } from '../../../core/index.ts'
import { configuredLimits } from '../../../core/storage/limits.ts'
import { startServer } from '../../helpers.ts'

const limits = `
[limits]
max_tables = 2
max_metrics = 2
max_columns = 3
max_series = 3
[limits.databases.wide]
max_columns = 4
`

/** Rows with one tag of texts that repeat or are missing, or of numbers. */
function rowsOf(table: string, tags: readonly (string | undefined)[] | BigInt64Array): TableWrite {
  const rows = tags.length
  const time = { kind: 'fixed', values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(i)) } as const
  const tag: Column =
    tags instanceof BigInt64Array
      ? { name: 'tag', type: 'Int64', semantic: 'tag', data: { kind: 'fixed', values: tags } }
      : { name: 'tag', type: 'String', semantic: 'tag', data: texts(tags) }
  return {
    table,
    rows,
    columns: [{ name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', data: time }, tag]
  }
}

function texts(values: readonly (string | undefined)[]) {
  const known = [...new Set(values.map(value => value ?? ''))]
  const bytes = Buffer.from(known.join(''))
  const offsets = Uint32Array.from([0, ...known.map((_, i) => known.slice(0, i + 1).join('').length)])
  const valid = new Uint8Array((values.length + 7) >> 3)
  for (const [i, value] of values.entries()) if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  const codes = Uint32Array.from(values, value => known.indexOf(value ?? ''))
  return { kind: 'dictionary', codes, dictionary: { kind: 'bytes', offsets, bytes }, valid } as const
}

t.test(
  'rows with columns for their tags count the different ones, with what the table has, over all of a request',
  async t => {
    const { core } = await startServer(t, limits)
    const { store } = core
    const write = (...writes: TableWrite[]) => store.write(internalContext(core, 'test'), writes)
    const refused = (message: RegExp, ...writes: TableWrite[]) =>
      t.rejects(write(...writes), { code: 'InvalidArguments', message })
    await refused(
      /table texts would have more than 3 series \(limits.max_series\)/,
      rowsOf('texts', ['a', 'b', undefined, 'c'])
    )
    await refused(/more than 3 series/, rowsOf('texts', ['a', 'b']), rowsOf('texts', ['c', 'd']))
    t.equal(store.table('public', 'texts'), undefined, 'nothing is made for what is refused')
    await write(rowsOf('texts', ['a', 'b', 'a', 'b', 'a']), rowsOf('numbers', BigInt64Array.of(1n, 2n, 3n)))
    await write(rowsOf('texts', ['b', 'c', 'a', 'c']), rowsOf('numbers', BigInt64Array.of(3n, 1n)))
    await refused(/table texts would have more than 3 series/, rowsOf('texts', ['a', 'd']))
    await refused(/table numbers would have more than 3 series/, rowsOf('numbers', BigInt64Array.of(3n, 4n)))
    await refused(/database public would have more than 2 tables \(limits.max_tables\)/, rowsOf('other', ['a']))
    t.match(await core.metrics.expose(), /svc_limits_refused_total\{limit="series"\} 4\n/)
  }
)

t.test('series beyond a quota are not counted, and each refusal is told', async t => {
  const { core } = await startServer(t, limits)
  const quota = core.store.writeQuota(10)
  const growth = quota.table('public', 'new', { columns: ['at'] })
  const labels = (tags: Record<string, string>): SeriesLabel[] =>
    Object.entries(tags).map(([name, value]) => ({ name, value: Buffer.from(value) }))
  const add = (tags: Record<string, string>) => growth.acquire(labels(tags))
  add({ a: '1', b: '1' })
  t.throws(() => add({ a: '2', c: '1' }), /more than 3 columns \(limits.max_columns\)/)
  add({ b: '1', a: '2' })
  add({ a: '3' })
  t.throws(() => add({ a: '4' }), /more than 3 series/)
  add({ b: '1', a: '1' })
  // Metrics of one table: they have its columns and series together, and count apart from tables with rows of their own.
  const metric = (name: string) => quota.table('public', name, { physicalTable: 'shared', columns: ['at', 'value'] })
  const [one, two, three] = ['one', 'two', 'three'].map(metric)
  one!.acquire(labels({ a: '1' }))
  t.throws(() => two!.acquire(labels({ b: '1' })), /table shared would have more than 3 columns/)
  two!.acquire(labels({ a: '1' }))
  t.throws(
    () => three!.acquire(labels({ a: '1' })),
    /database public would have more than 2 metrics \(limits.max_metrics\)/
  )
  two!.acquire(labels({ a: '2' }))
  t.throws(() => one!.acquire(labels({ a: '2' })), /table shared would have more than 3 series/)
  t.throws(() => quota.table('public', 'third', { columns: [] }).acquire([]), /more than 2 tables/)
  quota.table('wide', 'new', { columns: ['at'] }).acquire(labels({ a: '1', b: '1', c: '1' }))
  t.throws(
    () => quota.table('wide', 'new', { columns: ['at'] }).acquire(labels({ d: '1' })),
    /more than 4 columns \(limits.databases.wide.max_columns\)/
  )
  const told = await core.metrics.expose()
  t.match(told, /svc_limits_refused_total\{limit="columns"\} 3\n/)
  t.match(told, /svc_limits_refused_total\{limit="series"\} 2\n/)
})

t.test('the way through the rules of tables keeps to the limits, too', async t => {
  const { core, main } = await startServer(t, limits)
  const sql = async (text: string) => {
    const reply = await main.inject({ method: 'POST', url: `/v1/sql?sql=${encodeURIComponent(text)}` })
    return [reply.statusCode, reply.body] as const
  }
  t.match(await sql('CREATE TABLE a (at TIMESTAMP TIME INDEX, b INT, c INT, d INT)'), [400, /more than 3 columns/])
  t.match(await sql('CREATE TABLE a (at TIMESTAMP TIME INDEX, b INT)'), [200])
  t.match(await sql('ALTER TABLE a ADD COLUMN c INT'), [200])
  t.match(await sql('ALTER TABLE a ADD COLUMN d INT'), [
    400,
    /table a would have more than 3 columns \(limits.max_columns\)/
  ])
  t.match(await sql('CREATE TABLE b (at TIMESTAMP TIME INDEX, host STRING PRIMARY KEY)'), [200])
  t.match(await sql('CREATE TABLE c (at TIMESTAMP TIME INDEX, b INT)'), [400, /more than 2 tables/])
  const rows = (hosts: string) => Array.from(hosts, (host, i) => `(${i}, '${host}')`).join(', ')
  t.match(await sql(`INSERT INTO b VALUES ${rows('xyzw')}`), [400, /table b would have more than 3 series/])
  t.match(await sql(`INSERT INTO b VALUES ${rows('xyzx')}`), [200])
  t.equal(core.store.tables('public').length, 2)
})

t.test('a tag value that is too long is refused in every way rows come, and goes on where it is known', async t => {
  const { core, main } = await startServer(
    t,
    '[limits.databases.long]\nmax_tag_length = "128KiB"\n[plugins.lineproto]\nmax_key_size = "16MiB"\n'
  )
  const { store } = core
  const write = (...writes: TableWrite[]) => store.write(internalContext(core, 'test'), writes)
  const [fits, tooLong] = ['x'.repeat(2 ** 16), 'y'.repeat(2 ** 16 + 1)]
  await write(rowsOf('texts', ['a', fits, undefined]))
  await t.rejects(write(rowsOf('texts', ['a', tooLong, tooLong])), {
    code: 'InvalidArguments',
    message: 'tag tag of table texts has a value of 65537 bytes, at most 65536 are taken (limits.max_tag_length)'
  })
  const post = async (url: string, payload: string | Buffer, type = 'text/plain') => {
    const { statusCode, body } = await main.inject({
      method: 'POST',
      ...{ url, payload, headers: { 'content-type': type } }
    })
    return [statusCode, body]
  }
  const lines = (value: string) => `cpu,host=${value} v=1 1\n`
  t.match(await post('/v1/lineproto/write', lines(tooLong)), [
    400,
    /tag host of table cpu has a value of 65537 bytes, at most 65536 are taken \(limits\.max_tag_length\)/
  ])
  t.equal(store.table('public', 'cpu'), undefined)
  t.match(await post('/v1/lineproto/write', lines('z'.repeat(2 ** 23))), [
    400,
    /table cpu would have a series whose tags take \d+ bytes, at most 64 times 65536 are taken \(limits\.max_tag_length\)/
  ])
  t.match(await post('/v1/lineproto/write', lines(fits)), [204])
  t.match(await post('/v1/sql', 'sql=CREATE TABLE s (h STRING PRIMARY KEY, at TIMESTAMP TIME INDEX)', form), [200])
  t.match(await post('/v1/sql', `sql=INSERT INTO s VALUES ('${tooLong}', 1)`, form), [400, /limits\.max_tag_length/])
  t.match(await core.metrics.expose(), /svc_limits_refused_total\{limit="tag_length"\} 4\n/)
  t.match(await post('/v1/sql', 'sql=CREATE DATABASE long', form), [200])
  t.match(await post('/v1/lineproto/write?db=long', lines(tooLong)), [204])
  const databases = core.config.limits.databases as Record<string, { max_tag_length: number }>
  databases['long'] = { max_tag_length: 10 }
  t.match(await post('/v1/lineproto/write?db=long', lines(tooLong)), [204], 'it is known')
  t.match(await post('/v1/lineproto/write?db=long', lines(fits)), [400, /limits\.databases\.long\.max_tag_length/])
  const points = ['short', 'twelve bytes'].map(host => ({ metric: 'm', timestamp: 1, value: 1, tags: { host } }))
  const put = await post('/v1/tsdbput/api/put?details&db=long', JSON.stringify(points), 'application/json')
  t.match(put, [200, /"success":1,"failed":1.*limits\.databases\.long\.max_tag_length/], 'what fits is kept')
})

const form = 'application/x-www-form-urlencoded'

t.test('limits are those of the configuration as it is now', t => {
  const config = {
    limits: { max_tables: 1, max_metrics: 2, max_columns: 3, max_series: 4, max_tag_length: 5, databases: {} }
  }
  const limitsOf = configuredLimits(config)
  t.same(limitsOf('a').series, { max: 4, key: 'limits.max_series' })
  config.limits.databases = { a: { max_series: 9 } }
  t.same(limitsOf('a').series, { max: 9, key: 'limits.databases.a.max_series' })
  t.same(limitsOf('toString').series, { max: 4, key: 'limits.max_series' }, 'a name that every object has')
  t.end()
})
