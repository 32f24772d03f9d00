import { zstdDecompressSync } from 'node:zlib'
import * as arrow from 'apache-arrow'
import { tableFromIPC } from 'apache-arrow'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import type { Answer } from '../../../core/format/answer.ts'
import { createFormats, encodeAnswers } from '../../../core/format/index.ts'
import { displayWidth } from '../../../core/format/width.ts'
import type { ResultBatch, ResultColumn } from '../../../core/model/batch.ts'

const columns: ResultColumn[] = [
  { name: 'site', type: 'String' },
  { name: 'n', type: 'Int64' },
  { name: 'load', type: 'Float64' },
  { name: 'at', type: 'TimestampMillisecond' },
  { name: 'ok', type: 'Boolean' },
  { name: 'doc', type: 'Json' },
  { name: 'raw', type: 'Binary' },
  { name: 'price', type: 'Decimal(10, 2)' },
  { name: 'list', type: 'List<Float64>' },
  { name: 'single', type: 'Float32' }
]

const batch: ResultBatch = {
  rows: 2,
  columns: [
    { values: ['north, "A"', null] },
    { values: BigInt64Array.of(9007199254740993n, -1n) },
    { values: Float64Array.of(1024, Number.NaN) },
    { values: BigInt64Array.of(1719830400000n, 0n), valid: Uint8Array.of(1) },
    { values: Uint8Array.of(1, 0) },
    { values: ['{"a":[1,2]}', null] },
    { values: [Uint8Array.of(1, 255), null] },
    { values: ['12.50', '-0.07'] },
    { values: [[1, 2.5, null], null] },
    { values: Float32Array.of(0.1, 3) }
  ]
}

function answer(batches: readonly ResultBatch[] = [batch], cols = columns): Answer {
  return {
    kind: 'records',
    columns: cols,
    async *batches() {
      yield* batches
    }
  }
}

const formats = createFormats()
const chosen = (parameters: Readonly<Record<string, string>>) => formats.choose(name => parameters[name])

async function bytes(name: string, answers: readonly Answer[], options: object = {}): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of encodeAnswers(chosen({ format: name }).format, answers, {
    elapsed: () => 12.4,
    ...options
  })) {
    parts.push(Buffer.from(part as Uint8Array))
  }
  return Buffer.concat(parts)
}

const text = async (name: string, answers: readonly Answer[], options: object = {}) =>
  (await bytes(name, answers, options)).toString()

const firstRow =
  '["north, \\"A\\"",9007199254740993,1024.0,1719830400000,true,{"a":[1,2]},[1,255],"12.50",[1.0,2.5,null],0.1]'
const secondRow = '[null,-1,null,null,false,null,null,"-0.07",null,3.0]'

t.test('svc_v1 keeps every digit, gives floats a fraction and has the totals last', async t => {
  const body = await text('svc_v1', [answer(), { kind: 'affected', rows: 3 }])
  t.ok(body.includes(`"rows":[${firstRow},${secondRow}],"total_rows":2}},{"affectedrows":3}],"execution_time_ms":12}`))
  t.match(JSON.parse(body).output[0].records.schema.column_schemas[7], { name: 'price', data_type: 'Decimal(10, 2)' })
})

t.test('an empty result keeps its schema', async t => {
  const parsed = JSON.parse(await text('svc_v1', [answer([])]))
  t.match(parsed.output[0].records, { rows: [], total_rows: 0 })
  t.equal(parsed.output[0].records.schema.column_schemas.length, columns.length)
  const series = JSON.parse(await text('lineproto_v1', [answer([])])).results[0].series[0]
  t.equal(series.columns.length, columns.length)
})

t.test('lineproto_v1 numbers its statements and converts times to the epoch asked for', async t => {
  const body = await text('lineproto_v1', [answer(), { kind: 'affected', rows: 1 }], { epoch: 's' })
  t.ok(body.includes('1719830400,true'))
  t.match(JSON.parse(body).results[1], { statement_id: 1, series: [] })
})

t.test('csv quotes what needs it and leaves null empty', async t => {
  const body = await text('csv', [answer()])
  t.equal(
    body,
    '"north, ""A""",9007199254740993,1024.0,1719830400000,true,"{""a"":[1,2]}","[1,255]",12.50,"[1.0,2.5,null]",0.1\r\n' +
      ',-1,,,false,,,-0.07,,3.0\r\n'
  )
  const full = await text('csvWithNamesAndTypes', [answer([])])
  t.match(full.split('\r\n')[0], /^site,n,load/)
  t.match(full.split('\r\n')[1], /"Decimal\(10, 2\)"/)
  t.equal(await text('csv', [{ kind: 'affected', rows: 3 }]), '3\n')
})

t.test('table is as wide as a terminal shows it', async t => {
  const cols: ResultColumn[] = [
    { name: 'site', type: 'String' },
    { name: 'n', type: 'Int32' }
  ]
  const rows: ResultBatch = { rows: 2, columns: [{ values: ['north', '日本'] }, { values: Int32Array.of(42, 7) }] }
  t.equal(
    await text('table', [answer([rows], cols)]),
    ['┌─site────┬─n──┐', '│ "north" │ 42 │', '│ "日本"  │ 7  │', '└─────────┴────┘', ''].join('\n')
  )
  t.equal(displayWidth('é👍🏽e\u0301'), 4)
})

t.test('json has one object per row and collapses equal names', async t => {
  const cols: ResultColumn[] = [
    { name: 'a', type: 'Int32' },
    { name: 'a', type: 'Int32' }
  ]
  const rows: ResultBatch = { rows: 1, columns: [{ values: Int32Array.of(1) }, { values: Int32Array.of(2) }] }
  t.equal(await text('json', [answer([rows], cols)]), '{"data":[{"a":2}],"execution_time_ms":12}')
  t.equal(await text('json', [{ kind: 'affected', rows: 3 }]), '{"data":[],"affected_rows":3,"execution_time_ms":12}')
})

t.test('null only counts', async t => {
  t.equal(await text('null', [answer()]), '2 rows in set.\nElapsed: 0.012 sec.\n')
  t.equal(await text('null', [{ kind: 'affected', rows: 3 }]), '3 rows affected.\nElapsed: 0.012 sec.\n')
})

t.test('arrow is a stream another reader takes', async t => {
  const table = tableFromIPC(await bytes('arrow', [answer()]))
  t.equal(table.numRows, 2)
  t.equal(table.getChild('n')!.get(0), 9007199254740993n)
  t.equal(table.getChild('site')!.get(1), null)
  t.equal(table.getChild('site')!.get(0), 'north, "A"')
  t.equal(table.getChild('ok')!.get(0), true)
  t.equal(table.getChild('at')!.get(1), null)
  t.same(table.getChild('raw')!.get(0), Uint8Array.of(1, 255))
  t.same([...table.getChild('list')!.get(0)!], [1, 2.5, null])
  t.equal(table.getChild('list')!.get(1), null)
  t.same([...table.getChild('price')!.get(0)!].slice(0, 1), [1250])
  t.equal(table.schema.metadata.size, 0)
})

t.test('arrow has lists and structs of its own, at any depth and with nulls', async t => {
  const cols: ResultColumn[] = [
    { name: 'deep', type: 'List<Struct<key: String, "of: all": List<TimestampMillisecond>>>' },
    { name: 'one', type: 'Struct<d: Date, p: Decimal(20, 4), ok: Boolean>' }
  ]
  const rows: ResultBatch = {
    rows: 3,
    columns: [
      { values: [[{ key: 'a', 'of: all': [1n, null] }, null], null, []] },
      { values: [{ d: 1, p: '-1.5000', ok: true }, { d: null, p: null, ok: false }, null] }
    ]
  }
  const table = tableFromIPC(await bytes('arrow', [answer([rows], cols)]))
  const deep = table.getChild('deep')!
  t.match(String(deep.type), /List<Struct<\{key:Utf8, of: all:List<Timestamp<MILLISECOND>>\}>>/)
  t.equal(deep.get(0).get(0).key, 'a')
  t.same([...deep.get(0).get(0)['of: all']], [1, null])
  t.equal(deep.get(0).get(1), null)
  t.equal(deep.get(1), null)
  t.equal(deep.get(2).length, 0)
  const one = table.getChild('one')!
  t.equal(Number(one.get(0).d), 86_400_000)
  t.same([...one.get(0).p].slice(0, 1), [2 ** 32 - 15000])
  t.equal(one.get(1).ok, false)
  t.equal(one.get(2), null)
  t.ok(
    (await text('svc_v1', [answer([rows], cols)])).includes(
      '[[{"key":"a","of: all":[1,null]},null],{"d":1,"p":"-1.5000","ok":true}]'
    )
  )
})

t.test('arrow has intervals of its own', async t => {
  const cols: ResultColumn[] = [{ name: 'i', type: 'IntervalMonthDayNano' }]
  const values = ['1 month 2 days 00:00:03', null, '-1 years -1 months -2 days -00:00:00.000005', '1 year', '100:00:00']
  const rows: ResultBatch = { rows: values.length, columns: [{ values }] }
  const i = tableFromIPC(await bytes('arrow', [answer([rows], cols)])).getChild('i')!
  const parts = (row: number) => {
    const words = new Int32Array(i.get(row))
    return [words[0], words[1], new BigInt64Array(words.buffer)[1]]
  }
  t.same(parts(0), [1, 2, 3_000_000_000n])
  t.equal(i.get(1), null)
  t.same(parts(2), [-13, -2, -5_000n])
  t.same(parts(3), [12, 0, 0n])
  t.same(parts(4), [0, 0, 360_000_000_000_000n])
})

t.test('arrow writes the schema of an empty result and compressed buffers', async t => {
  const empty = tableFromIPC(await bytes('arrow', [answer([])]))
  t.equal(empty.schema.fields.length, columns.length)
  t.equal(empty.numRows, 0)
  const many = { rows: 2000, columns: [{ values: new Float64Array(2000).fill(7) }] }
  const cols: ResultColumn[] = [{ name: 'v', type: 'Float64' }]
  const packed = await bytes('arrow', [answer([many], cols)], { compression: 'zstd' })
  t.ok(packed.length < 4000)
  const codec = arrow.compressionRegistry.get(arrow.CompressionType.ZSTD)!
  arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { ...codec, decode: zstdDecompressSync })
  t.equal(tableFromIPC(packed).getChild('v')!.get(1999), 7)
  const framed = Buffer.from(await bytes('arrow', [answer([many], cols)], { compression: 'lz4' }))
  t.ok(framed.length < 4000)
  t.ok(framed.includes(Buffer.from('04224d18', 'hex')))
})

const parquetRows = async (file: Buffer): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: new Uint8Array(file).buffer, compressors, utf8: false })

t.test('parquet has the types there are in it, and the text of others', async t => {
  const more: ResultColumn[] = [
    { name: 'wide', type: 'Decimal(38, 2)' },
    { name: 'big', type: 'UInt64' },
    { name: 'at', type: 'TimestampSecond' },
    { name: 'clock', type: 'TimeMicrosecond' },
    { name: 'while', type: 'IntervalMonthDayNano' },
    { name: 'none', type: 'Null' },
    { name: 'site', type: 'Struct<a: Int32>' }
  ]
  const rest: ResultBatch['columns'] = [
    { values: ['-123456789012345678901.25', null] },
    { values: BigUint64Array.of(2n ** 64n - 1n, 0n) },
    { values: [1719830400, null] },
    { values: BigInt64Array.of(3_600_000_001n, 0n) },
    { values: ['1 month -2 days -00:00:00.000005', null] },
    { values: [null, null] },
    { values: [{ a: 7 }, null] }
  ]
  const file = await bytes('parquet', [
    answer([{ rows: 2, columns: [...batch.columns, ...rest] }], [...columns, ...more])
  ])
  t.strictSame(await parquetRows(file), [
    {
      site: 'north, "A"',
      n: 9007199254740993n,
      load: 1024,
      at: new Date(1719830400000),
      ok: true,
      doc: { a: [1, 2] },
      raw: Uint8Array.of(1, 255),
      price: 12.5,
      list: [1, 2.5, null],
      single: Math.fround(0.1),
      wide: Number('-123456789012345678901.25'),
      big: 2n ** 64n - 1n,
      at_1: new Date(1719830400000),
      clock: '01:00:00.000001',
      while: '1 month -2 days -00:00:00.000005',
      none: null,
      site_1: { a: 7 }
    },
    {
      ...{ site: null, n: -1n, load: Number.NaN, at: null, ok: false, doc: null, raw: null, price: -0.07, list: null },
      ...{ single: 3, wide: null, big: 0n, at_1: null, clock: '00:00:00', while: null, none: null, site_1: null }
    }
  ])
  t.equal((await parquetRows(await bytes('parquet', [answer([])]))).length, 0)
  t.same(await parquetRows(await bytes('parquet', [{ kind: 'affected', rows: 3 }])), [{ affected_rows: 3 }])
})

t.test('parquet has row groups of bounded rows and bytes, nulls at their rows', async t => {
  const cols: ResultColumn[] = [
    { name: 'n', type: 'Int64' },
    { name: 'word', type: 'String' },
    { name: 'price', type: 'Decimal(20, 1)' }
  ]
  const isNull = (i: number) => i > 40_000 && i % 7 === 3
  const of = (from: number, rows: number): ResultBatch => {
    const valid = new Uint8Array((rows + 7) >> 3)
    for (let k = 0; k < rows; k++) if (!isNull(from + k)) valid[k >> 3]! |= 1 << (k & 7)
    const text = (make: (i: number) => string) =>
      Array.from({ length: rows }, (_, k) => (isNull(from + k) ? null : make(from + k)))
    const n = BigInt64Array.from({ length: rows }, (_, k) => BigInt(from + k))
    return { rows, columns: [{ values: n, valid }, { values: text(i => `ä${i}`) }, { values: text(i => `${i}.5`) }] }
  }
  const file = await bytes('parquet', [answer([of(0, 30_000), of(30_000, 50_001)], cols)])
  const groups = parquetMetadata(new Uint8Array(file).buffer).row_groups.map(({ num_rows }) => Number(num_rows))
  t.ok(groups.length > 1 && groups.every(rows => rows < 40_000), String(groups))
  const rows = await parquetRows(file)
  t.equal(rows.length, 80_001)
  const wrong = rows.findIndex(({ n, word, price }, i) =>
    isNull(i) ? n !== null || word !== null || price !== null : n !== BigInt(i) || word !== `ä${i}` || price !== i + 0.5
  )
  t.equal(wrong, -1)
  const long = { rows: 100, columns: [{ values: Array.from({ length: 100 }, () => 'x'.repeat(1 << 20)) }] }
  const parts = parquetMetadata(
    new Uint8Array(await bytes('parquet', [answer(Array(3).fill(long), [cols[1]!])])).buffer
  ).row_groups
  t.ok(parts.length >= 3, 'long texts make a row group of their own')
})

t.test('names are checked and found in any case', async t => {
  t.equal(chosen({ format: 'CSVWITHNAMES' }).format, chosen({ format: 'csvWithNames' }).format)
  t.equal(chosen({}).format.header, 'svc_v1')
  const all = 'svc_v1, lineproto_v1, csv, csvWithNames, csvWithNamesAndTypes, table, json, ndjson, arrow, parquet, null'
  t.throws(() => chosen({ format: 'xml' }), { message: `unknown format xml, expected one of ${all}` })
  t.equal(chosen({ epoch: 'µ' }).encoding.epoch, 'us')
  t.throws(() => chosen({ epoch: 'h' }), /unknown epoch h, expected one of ns/)
  t.throws(() => chosen({ compression: 'gzip' }), /expected one of zstd, lz4/)
  await t.rejects(text('csv', [answer(), answer()]), /cannot output multi-statements result in csv format/)
})

t.test('ndjson has an object a line', async t => {
  const rows = (await text('ndjson', [answer([batch, batch])])).trimEnd().split('\n')
  t.equal(rows.length, 4)
  t.match(JSON.parse(rows[0]!), { site: 'north, "A"', load: 1024, ok: true, doc: { a: [1, 2] } })
  t.match(rows[0], '"n":9007199254740993')
  t.equal(await text('ndjson', [answer([])]), '')
  t.equal(await text('ndjson', [{ kind: 'affected', rows: 3 }]), '{"affected_rows":3}\n')
})

t.test('formats are added under a name of their own', async t => {
  const format = { header: 'own', contentType: 'text/plain', several: true, async *encode() {} }
  const mine = createFormats()
  mine.add('own', format)
  t.equal(mine.choose(name => (name === 'format' ? 'OWN' : undefined)).format, format)
  t.equal(mine.names().at(-1), 'own')
  t.throws(() => formats.choose(() => 'own'), /unknown format own/, 'each server has its own')
  t.throws(() => mine.add('Own', format), /there is a result format Own already/)
  t.throws(() => mine.add('Parquet', format), /there is a result format Parquet already/)
  t.throws(() => mine.add('a b', format), /a b is not a name/)
  t.throws(() => mine.add('other', { ...format, contentType: undefined as never }), /needs the texts contentType/)
  t.throws(() => mine.add('other', { ...format, encode: undefined as never }), /needs a function encode/)
})

t.test('long texts and lists are the same in pieces', async t => {
  const text = `${'a"\n é\u{1f600},'.repeat(70_000)}\ud800`
  const list = Array.from({ length: 20_000 }, (_, i) => (i % 7 === 0 ? null : `x"${i}`))
  const columns = [
    { name: 't', type: 'String' },
    { name: 'j', type: 'Json' },
    { name: 'l', type: 'String[]' }
  ] as never
  const records = (rows: unknown[][]) => ({
    kind: 'records' as const,
    columns,
    async *batches() {
      yield { rows: rows.length, columns: [0, 1, 2].map(c => ({ values: rows.map(row => row[c]) })) } as never
    }
  })
  const read = async (name: string, rows: unknown[][]) => {
    let body = ''
    const pieces: number[] = []
    for await (const piece of chosen({ format: name }).format.encode([records(rows)], { elapsed: () => 0 })) {
      body += piece
      pieces.push(piece.length)
    }
    return { body, longest: Math.max(...pieces) }
  }
  const json = JSON.stringify(text.slice(0, -1))
  for (const name of ['svc_v1', 'json', 'lineproto_v1']) {
    const { body, longest } = await read(name, [
      ['a', '1', []],
      [text, json, list],
      [null, null, null]
    ])
    const parsed = JSON.parse(body)
    const rows =
      parsed.output?.[0].records.rows ?? parsed.data?.map(Object.values) ?? parsed.results[0].series[0].values
    t.same(rows[1], [text, text.slice(0, -1), list], name)
    t.same(rows[2], [null, null, null])
    t.ok(longest < 1 << 20, `${name}: ${longest}`)
  }
  const { body } = await read('csv', [[text, json, list]])
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  t.equal(body, `${quoted(text)},${quoted(json)},${quoted(JSON.stringify(list))}\r\n`)
  await t.rejects(read('table', [[text, '1', []]]), /more than 262144 characters, which the format table does not take/)
})
