// What chdb cannot run is looked at as text: replicated tables below distributed ones. And what the parts of the driver are made of.
import t from 'tap'
import type { Table, TableColumn } from '../../../../core/model/table.ts'
import { createStatements, ttlSql } from '../../../../core/storage/clickhouse/definition.ts'
import { isUncertain, translate } from '../../../../core/storage/clickhouse/errors.ts'
import { quoteName, quoteText, storedColumn, storedName } from '../../../../core/storage/clickhouse/names.ts'
import { readNative } from '../../../../core/storage/clickhouse/native.ts'
import { TsidSet } from '../../../../core/storage/clickhouse/tsid-set.ts'
import { Versions } from '../../../../core/storage/clickhouse/versions.ts'

const time: TableColumn = {
  id: 1,
  name: 'at',
  physical: 'at',
  type: 'TimestampMillisecond',
  semantic: 'timestamp',
  nullable: false
}
const host: TableColumn = { id: 2, name: 'host', physical: 'host', type: 'String', semantic: 'tag', nullable: true }

function tableWith(options: Table['options'] = {}): Table {
  const columns = [host, time]
  return {
    id: 7,
    database: 'public',
    name: 'visits',
    columns,
    options,
    version: 1,
    createdAt: 0,
    timeIndex: time,
    tags: [host]
  }
}

const location = { prefix: 'weir_', cluster: 'all' }

t.test('with a cluster rows are replicated on each shard, below a table that everybody asks', async t => {
  const [local, distributed, ...more] = createStatements(tableWith(), { location, hasTextIndex: true, database: {} })
  t.equal(more.length, 0)
  t.match(local, /^CREATE TABLE IF NOT EXISTS `weir_public`\.`visits__local` ON CLUSTER `all` \(/)
  t.ok(
    local!.includes(
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', __version, __deleted)"
    )
  )
  t.match(distributed, /^CREATE TABLE IF NOT EXISTS `weir_public`\.`visits` ON CLUSTER `all` \(/)
  t.ok(
    distributed!.includes("ENGINE = Distributed('all', 'weir_public', 'visits__local', sipHash64(toString(`host`)))"),
    'rows of a series lie on one shard'
  )
  t.notOk(distributed!.includes('CODEC'), 'which stores nothing')
})

t.test('options of a table are its engine, its partitions and its time to live', async t => {
  const create = (options: Table['options'], database = {}) =>
    createStatements(tableWith(options), {
      location: { prefix: 'weir_', cluster: '' },
      hasTextIndex: true,
      database
    })[0]!
  t.match(create({ append_mode: true }), /ENGINE = MergeTree\(\) PARTITION BY toYYYYMM\(`at`\)/)
  t.match(create({ merge_mode: 'last_non_null' }), /ENGINE = CoalescingMergeTree\(\)/)
  t.match(
    create({ ttl: '7days' }),
    /PARTITION BY toYYYYMMDD\(`at`\).* TTL toDateTime\(`at`\) \+ INTERVAL 604800 SECOND/
  )
  t.match(create({}, { ttl: '7days' }), / TTL /, 'or the one of its database')
  t.notMatch(create({ ttl: 'forever' }, { ttl: '7days' }), / TTL /)
  t.equal(ttlSql('at', undefined), '')
})

t.test('names of users are quoted, and no name is one of the driver', async t => {
  t.equal(quoteName('a`b\\'), '`a\\`b\\\\`')
  t.equal(quoteText("it's\\"), "'it\\'s\\\\'")
  t.equal(storedName('table', 'visits'), 'visits')
  t.match(storedName('table', 'visits__local'), /^visits_local__[0-9a-f]{16}$/)
  t.match(storedName('table', 'é'.repeat(127)), /^_?__[0-9a-f]{16}$/, 'a long one is hashed')
  t.not(storedColumn('__version'), '__version')
  t.not(storedColumn('__version'), storedColumn('___version'), 'and two stay two')
})

t.test('errors of the cluster say whether a client may come again', async t => {
  const error = (code: string) => Object.assign(new Error('told'), { code, type: 'NAME' })
  t.match(translate(error('252')), { code: 'RateLimited', status: 429, retryAfter: 2 }, 'too many parts')
  t.match(translate(error('241')), { status: 503, retryAfter: 5 }, 'memory')
  t.match(translate(error('62')), { code: 'InvalidSyntax', status: 400 })
  t.match(translate(error('60')), { code: 'RequestOutdated' })
  const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  t.match(translate(gone), { code: 'StorageUnavailable', status: 503, retryAfter: 2 })
  t.ok(isUncertain(gone) && isUncertain(error('319')) && !isUncertain(error('62')))
})

t.test('blocks are read whatever pieces they come in, and what is none is an error', async t => {
  // Two columns: `a String` with x and yz, `n Nullable(UInt8)` with null and 2.
  const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)])
  const strings = [text('a'), text('String'), text('x'), text('yz')]
  const numbers = [text('n'), text('Nullable(UInt8)'), Buffer.of(1, 0), Buffer.of(0, 2)]
  const block = Buffer.concat([Buffer.of(2, 2), ...strings, ...numbers])
  const read = async (bytes: Buffer, size: number) => {
    const rows: unknown[] = []
    async function* pieces() {
      for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
    }
    for await (const { columns, rows: count } of readNative(pieces())) {
      for (let i = 0; i < count; i++) rows.push([columns[0]!.values[i], columns[1]!.values[i], columns[1]!.valid![0]])
    }
    return rows
  }
  const both = [
    ['x', 0, 0b11111110],
    ['yz', 2, 0b11111110]
  ]
  for (const size of [1, 3, 1000]) t.strictSame(await read(Buffer.concat([block, block]), size), [...both, ...both])
  await t.rejects(read(block.subarray(0, -1), 4), /ended early/)
  const failed = Buffer.concat([block, Buffer.from('Code: 395. DB::Exception: Value passed to throwIf\n')])
  await t.rejects(read(failed, 7), { message: 'Value passed to throwIf', code: '395' })
})

t.test('versions ascend, and sets of numbers keep all of them', async t => {
  const versions = new Versions()
  const first = versions.take(1000)
  t.ok(versions.take(1) >= first + 1000n)
  const set = new TsidSet()
  for (let i = 0n; i < 5000n; i++) t.equal(set.add((i * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn), true)
  t.equal(set.add(0n), false)
  t.equal(set.size, 5000)
  t.notOk(set.has(12345n))
})
