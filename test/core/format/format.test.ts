import { zstdDecompressSync } from 'node:zlib'
import * as arrow from 'apache-arrow'
import { tableFromIPC } from 'apache-arrow'
import t from 'tap'
import { type Answer, limitAnswer } from '../../../core/format/answer.ts'
import { encodeAnswers, resultCompression, resultEpoch, resultFormat } from '../../../core/format/index.ts'
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

async function bytes(name: string, answers: readonly Answer[], options: object = {}): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of encodeAnswers(resultFormat(name), answers, { elapsed: () => 12.4, ...options })) {
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

t.test('a limit cuts rows across batches', async t => {
  const cut = await text('svc_v1', [limitAnswer(answer([batch, batch]), 3)])
  t.equal(JSON.parse(cut).output[0].records.total_rows, 3)
  const none = await text('svc_v1', [limitAnswer(answer(), 0)])
  t.equal(JSON.parse(none).output[0].records.total_rows, 0)
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
  const of = (months: bigint, days: bigint, nanos: bigint) =>
    (months << 96n) | (BigInt.asUintN(32, days) << 64n) | BigInt.asUintN(64, nanos)
  const rows: ResultBatch = { rows: 3, columns: [{ values: [of(1n, 2n, 3_000_000_000n), null, of(-1n, -2n, -5n)] }] }
  const i = tableFromIPC(await bytes('arrow', [answer([rows], cols)])).getChild('i')!
  const parts = (row: number) => {
    const words = new Int32Array(i.get(row))
    return [words[0], words[1], new BigInt64Array(words.buffer)[1]]
  }
  t.same(parts(0), [1, 2, 3_000_000_000n])
  t.equal(i.get(1), null)
  t.same(parts(2), [-1, -2, -5n])
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

t.test('names are checked and found in any case', async t => {
  t.equal(resultFormat('CSVWITHNAMES'), resultFormat('csvWithNames'))
  t.equal(resultFormat(undefined).header, 'svc_v1')
  t.throws(() => resultFormat('xml'), /unknown format xml, expected one of svc_v1, lineproto_v1, csv,/)
  t.equal(resultEpoch('µ'), 'us')
  t.throws(() => resultEpoch('h'), /unknown epoch h, expected one of ns/)
  t.throws(() => resultCompression('gzip'), /expected one of zstd, lz4/)
  await t.rejects(text('csv', [answer(), answer()]), /cannot output multi-statements result in csv format/)
})
