import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { DbError, internalContext } from '../../../core/index.ts'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { formatError } from '../../../plugins/metricsys/errors.ts'
import { bitsOf, staleBits, type TestMatcher, writeV1, writeV2 } from './messages.ts'
import { serve } from './serve.ts'

const v2 = {
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'content-encoding': 'snappy'
}
const named = (name: string): TestMatcher => ({ type: '=', name: '__name__', value: name })

t.test('each metric is a table with its labels as tags', async t => {
  const { write, sql } = await serve(t)
  const body = writeV1([
    {
      labels: { __name__: 'room_temp', room: 'kitchen', floor: '1' },
      samples: [
        [1000, 21.5],
        [2000, 21.7]
      ]
    },
    { labels: { __name__: 'room_temp', room: 'bath', floor: '1' }, samples: [[1000, 24]] },
    { labels: { __name__: 'up', job: 'x' }, samples: [[1000, 1]] }
  ])
  t.same(await write(body).then(({ status, body }) => [status, body]), [204, ''])
  t.same(await sql(`SELECT floor, svc_value FROM room_temp WHERE room = 'kitchen' ORDER BY svc_timestamp`), [
    ['1', 21.5],
    ['1', 21.7]
  ])
  t.same((await sql('SHOW TABLES')).flat().sort(), ['room_temp', 'svc_physical_table', 'up'])
  t.same(
    (await sql('DESC TABLE room_temp')).map((row: string[]) => row[0]),
    ['floor', 'room', 'svc_timestamp', 'svc_value']
  )
  t.equal((await write(body)).status, 204, 'known series pass')
  t.same(await sql('SELECT count(*) FROM room_temp'), [[3]], 'the same samples again replace themselves')
})

t.test('inflated bytes count towards the memory of bodies, and are given back', async t => {
  const { write, core } = await serve(t, 'max_in_flight_write_bytes = "128KiB"\nwrite_bytes_exhausted_policy = "fail"')
  const samples = Array.from({ length: 60_000 }, (): [number, number] => [1000, 1])
  const refused = await write(writeV1([{ labels: { __name__: 'm' }, samples }]))
  t.match(refused, { status: 429, body: /max_in_flight_write_bytes/ })
  const found = await core.metrics.samples()
  t.equal(found.find(({ name }) => name === 'svc_servers_request_memory_in_use_bytes')?.value, 0)
  t.equal((await write(writeV1([{ labels: { __name__: 'm' }, samples: samples.slice(0, 10) }]))).status, 204)
})

t.test('a request is counted before it is inflated', async t => {
  const { post } = await serve(t, 'max_in_flight_write_bytes = "128KiB"\nwrite_bytes_exhausted_policy = "fail"')
  const damaged = Buffer.from(encodeSnappy(new Uint8Array(200_000))).fill(0xff, 100, 200)
  t.match(await post('write', damaged), { status: 429, body: /max_in_flight_write_bytes/ })
  const lying = Buffer.from(encodeSnappy(new Uint8Array(500_000_000).subarray(0, 1000)))
  t.match(await post('write', Buffer.concat([Buffer.of(0xff, 0xff, 0xff, 0x7f), lying.subarray(2)])), { status: 413 })
})

t.test('a label of many bytes is refused', async t => {
  const { post } = await serve(t)
  for (const length of [2 << 20, 6 << 20]) {
    const labels = { __name__: 'long', a: 'x'.repeat(length) }
    const body = encodeSnappy(writeV1([{ labels, samples: [[1000, 1]] }]))
    t.match(await post('write', body), { status: 400, body: /limits\.max_tag_length/ })
  }
})

t.test('a series is the same whatever the order of its labels, and another one in another case', async t => {
  const { write, read } = await serve(t)
  await write(writeV1([{ labels: { a: '1', b: '2', __name__: 'm' }, samples: [[1, 1]] }]))
  await write(writeV1([{ labels: { b: '2', __name__: 'm', a: '1' }, samples: [[2, 2]] }]))
  await write(writeV1([{ labels: { __name__: 'm', A: '1', b: '2', empty: '' }, samples: [[3, 3]] }]))
  const found = await read([named('m')])
  t.same(
    found.map(({ labels, samples }) => [labels, samples.length]),
    [
      [{ A: '1', __name__: 'm', b: '2' }, 1],
      [{ __name__: 'm', a: '1', b: '2' }, 2]
    ]
  )
})

t.test('numbers keep every bit, times may be negative and out of order, the last of a time counts', async t => {
  const { write, read, core } = await serve(t)
  const odd = 0xfff8000000001234n
  await write(
    writeV1([
      {
        labels: { __name__: 'm', x: '1' },
        samples: [
          [5, staleBits],
          [3, odd],
          [-7, 0],
          [4, Infinity],
          [4, -Infinity],
          [6, -0]
        ]
      }
    ])
  )
  const samples = [
    [-7, 0n],
    [3, odd],
    [4, bitsOf(-Infinity)],
    [5, staleBits],
    [6, bitsOf(-0)]
  ]
  t.same((await read([named('m')], -10, 10))[0]?.samples, samples)
  await core.store.maintain(internalContext(core, 'test'), { kind: 'flush' })
  t.same((await read([named('m')], -10, 10))[0]?.samples, samples, 'in files too')
})

t.test('the body may be compressed as the sender likes, and be mislabelled', async t => {
  const { post, sql } = await serve(t)
  const body = writeV1([{ labels: { __name__: 'm' }, samples: [[1, 1]] }])
  const [snappy, zstd] = [encodeSnappy(body), zstdCompressSync(body)]
  for (const [payload, encoding] of [
    [snappy, ''],
    [snappy, 'snappy'],
    [zstd, 'zstd'],
    [zstd, 'snappy'],
    [snappy, 'zstd'],
    [gzipSync(snappy), 'gzip']
  ] as const) {
    t.equal((await post('write', payload, encoding ? { 'content-encoding': encoding } : {})).status, 204, encoding)
  }
  t.same(await sql('SELECT count(*) FROM m'), [[1]])
  t.equal((await post('write', snappy, { 'content-encoding': 'br' })).status, 415)
  t.equal((await post('write', snappy, { ...v2, 'content-encoding': 'gzip' })).status, 415)
  t.equal((await post('write', snappy, { 'content-type': v2['content-type'] })).status, 415)
  t.equal((await post('write', Buffer.from('nothing'), {})).status, 400)
})

t.test('the content type says which version it is', async t => {
  const { write, post } = await serve(t)
  const body = writeV1([])
  for (const type of ['application/x-protobuf', 'Application/X-Protobuf; proto="prometheus.WriteRequest"']) {
    t.equal((await write(body, { 'content-type': type })).status, 204, type)
  }
  for (const type of ['application/json', 'application/x-protobuf;proto=prometheus.writerequest']) {
    const answer = await write(body, { 'content-type': type })
    t.match(
      [answer.status, answer.body, answer.headers['content-type']],
      [415, /^unsupported .*content type/, /^text\/plain/]
    )
  }
  const shake = await post('write?get_vm_proto_version=1', Buffer.from('x'), { 'content-type': 'text/html' })
  t.same([shake.status, shake.body], [200, '1'])
})

t.test('version 2.0 says what was stored, and stores what is right', async t => {
  const { write, sql } = await serve(t)
  const good = {
    labels: { __name__: 'm', a: '1' },
    samples: [
      [1, 1],
      [2, 2]
    ]
  } as const
  const first = await write(writeV2([good]), v2)
  t.same([first.status, first.written], [204, ['2', '0', '0']])
  const second = await write(
    writeV2([
      { ...good, samples: [[3, 3]] },
      { labels: { a: '1' }, samples: [[1, 1]] }
    ]),
    v2
  )
  t.match([second.status, second.body], [400, /no metric name/])
  t.same(second.written, ['1', '0', '0'])
  t.same(await sql('SELECT count(*) FROM m'), [[3]])
  for (const body of [Uint8Array.of(0x2a, 0), writeV1([good])]) {
    const bad = await write(body, v2)
    t.same([bad.status, bad.written], [400, ['0', '0', '0']])
  }
})

t.test('version 1.0 stores all of a request or nothing', async t => {
  const { write, core } = await serve(t)
  const good = { labels: { __name__: 'm' }, samples: [[1, 1]] } as const
  const answer = await write(writeV1([good, { labels: { __name__: 'n', svc_value: 'x' }, samples: [[1, 1]] }]))
  t.match([answer.status, answer.body], [400, /label svc_value of metric n/])
  t.match(JSON.parse(answer.body), { error: /svc_value/ })
  t.equal(core.store.table('public', 'm'), undefined)
})

t.test('labels choose database and physical table', async t => {
  const { write, sql, core } = await serve(t)
  await sql('CREATE DATABASE other')
  const labels = { __name__: 'm', __database__: 'other', __physical_table__: 'phy', a: '1' }
  t.equal(
    (
      await write(
        writeV1([
          { labels, samples: [[1, 1]] },
          { labels: { __name__: 'm' }, samples: [[1, 2]] }
        ])
      )
    ).status,
    204
  )
  t.equal(core.store.table('other', 'm')?.options.physical_table, 'phy')
  t.same(await sql('SELECT a, svc_value FROM m', 'other'), [['1', 1]])
  t.same(await sql('SELECT svc_value FROM m'), [[2]])
  await write(writeV1([{ labels: { __name__: 'n' }, samples: [[1, 1]] }]), {}, '?physical_table=mine')
  t.equal(core.store.table('public', 'n')?.options.physical_table, 'mine')
  const unknown = await write(writeV1([{ labels: { __name__: 'm', __schema__: 'none' }, samples: [[1, 1]] }]))
  t.match([unknown.status, unknown.body], [400, /none/])
})

t.test('exemplars and metadata have tables of their own', async t => {
  const { write, sql } = await serve(t)
  const series = {
    labels: { __name__: 'm', a: '1' },
    samples: [[1, 1]],
    exemplars: [{ labels: { trace_id: 'abc', shop: 'x' }, value: 0.5, time: 7 }]
  } as const
  t.equal((await write(writeV1([series], [{ metric: 'm', type: 1, help: 'Things.', unit: 's' }]))).status, 204)
  t.same(await sql('SELECT metric, series, svc_value, trace_id FROM svc_exemplars'), [['m', '{"a":"1"}', 0.5, 'abc']])
  const second = await write(writeV2([{ ...series, metadata: { type: 2, help: 'Other.' } }]), v2)
  t.same(second.written, ['1', '0', '1'])
  await write(writeV1([], [{ metric: 'm', type: 2, help: 'Other.' }]))
  t.same(await sql('SELECT metric, type, help FROM svc_metric_metadata ORDER BY help'), [
    ['m', 'gauge', 'Other.'],
    ['m', 'counter', 'Things.']
  ])
  t.same(await sql('SELECT count(*) FROM svc_exemplars'), [[1]], 'an exemplar sent again is the same one')
})

t.test('metadata is stored again after its table was dropped', async t => {
  const { write, sql } = await serve(t)
  const request = writeV2([{ labels: { __name__: 'm' }, samples: [[1, 1]], metadata: { type: 1, help: 'Some.' } }])
  const count = async () => (await sql('SELECT count(*) FROM svc_metric_metadata'))[0]
  await write(request, v2)
  t.same(await count(), [1])
  await sql('DROP TABLE svc_metric_metadata')
  await write(request, v2)
  t.same(await count(), [1])
  await write(request, v2)
  t.same(await count(), [1], 'known metadata is not stored again')
})

t.test('names are taken as they come, or held to the classic form', async t => {
  const odd = writeV1([{ labels: { __name__: 'http.größe', 'a.b': '1' }, samples: [[1, 1]] }])
  const lax = await serve(t)
  t.equal((await lax.write(odd)).status, 204)
  t.same(await lax.sql('SELECT "a.b" FROM "http.größe"'), [['1']])
  const strict = await serve(t, '[http]\nis_strict_mode = true')
  t.match((await strict.write(odd)).body, /is_strict_mode/)
  for (const { write } of [lax, strict]) {
    const broken = writeV1([{ labels: { __name__: 'm', a: '#' }, samples: [[1, 1]] }])
    broken[broken.indexOf(35)] = 0xff
    t.match(await write(broken).then(({ status, body }) => [status, body]), [400, /UTF-8/])
  }
})

t.test('a flood of series, labels or metrics ends at the limits and is told in the metrics', async t => {
  const limits = 'max_series = 6\nmax_columns = 5\nmax_metrics = 5'
  const { write, sql, core } = await serve(t, `[limits]\n${limits}`)
  const series = (labels: Record<string, string>) => ({
    labels: { __name__: 'm', ...labels },
    samples: [[1, 1]] as [number, number][]
  })
  t.equal((await write(writeV1([series({ a: '1' }), series({ a: '2' }), series({ a: '3' })]))).status, 204)
  const many = await write(writeV1(Array.from({ length: 9 }, (_, i) => series({ a: String(i) }))))
  t.match([many.status, many.body], [400, /more than 6 series \(limits.max_series\)/])
  const part = await write(writeV2(Array.from({ length: 9 }, (_, i) => series({ a: String(i) }))), v2)
  t.same([part.status, part.written], [400, ['6', '0', '0']])
  t.equal((await write(writeV1([series({ a: '1' })]))).status, 204, 'known series are taken')
  t.match((await write(writeV1([series({ b: '1', c: '1', d: '1' })]))).body, /max_(series|columns)/)
  t.same(await sql('SELECT count(DISTINCT a) FROM m'), [[6]])
  const metrics = await core.metrics.expose()
  // An estimate: of nine values two may fall together.
  t.match(metrics, /svc_metricsys_label_values\{label="a"\} [6-9]\n/)
  t.match(metrics, /svc_refused_total\{plugin="metricsys",code="InvalidArguments"\} 3/)
})

t.test('a table somebody made keeps its shape', async t => {
  const { write, sql } = await serve(t)
  await sql('CREATE TABLE m (ts TIMESTAMP(9) TIME INDEX, host STRING, val DOUBLE, PRIMARY KEY(host))')
  const body = writeV1([
    {
      labels: { __name__: 'm', host: 'a', zone: 'z' },
      samples: [
        [1, 1],
        [2, staleBits]
      ]
    },
    { labels: { __name__: 'n' }, samples: [[1, 4]] }
  ])
  t.equal((await write(body)).status, 204)
  t.same((await write(body)).status, 204)
  t.same(await sql('SELECT host, zone, val FROM m WHERE epoch_ns(ts) = 1000000'), [['a', 'z', 1]])
  t.same(await sql('SELECT svc_value FROM n'), [[4]])
})

t.test('series of a table that was dropped make it anew', async t => {
  const { write, sql } = await serve(t)
  const body = writeV1([
    { labels: { __name__: 'm', a: '1' }, samples: [[1, 1]] },
    { labels: { __name__: 'n', a: '1' }, samples: [[1, 1]] }
  ])
  await write(body)
  await sql('DROP TABLE m')
  t.equal((await write(body)).status, 204)
  t.same(await sql('SELECT count(*) FROM m'), [[1]])
  await sql('ALTER TABLE m RENAME old')
  t.equal((await write(body)).status, 204)
  t.same(await sql('SELECT count(*) FROM m'), [[1]])
  t.same(await sql('SELECT count(*) FROM old'), [[1]])
})

t.test('labels may have the names of columns that are hidden, or mean something to SQL', async t => {
  const { write, read, core } = await serve(t)
  const names = [
    '__table',
    '__TABLE',
    '__rank',
    '__deleted',
    '__tsid',
    '__seq',
    'read_t',
    'r',
    's',
    'm',
    '"quoted"',
    "it's",
    'select'
  ]
  const labels = { __name__: 'm', ...Object.fromEntries(names.map(name => [name, `v ${name}`])) }
  const body = (...times: number[]) => writeV1([{ labels, samples: times.map(time => [time, time] as const) }])
  t.equal((await write(body(1, 2))).status, 204)
  for (const kind of ['flush', 'flush', 'compact'] as const) {
    t.equal((await write(body(2, 3))).status, 204)
    const [series] = await read([named('m'), { type: '=', name: '__table', value: 'v __table' }])
    t.same([series?.labels, series?.samples.length], [labels, 3])
    await core.store.maintain(internalContext(core, 'test'), { kind })
  }
})

t.test('times no query could read are refused', async t => {
  const { write, sql } = await serve(t)
  const at = (time: number) => writeV1([{ labels: { __name__: 'm' }, samples: [[time, 1]] }])
  for (const time of [2 ** 53, -(2 ** 53) - 2, 2 ** 62]) {
    t.match(await write(at(time)).then(({ status, body }) => [status, body]), [400, /time -?\d+ of a sample/])
  }
  for (const time of [2 ** 53 - 1, -(2 ** 53)]) t.equal((await write(at(time))).status, 204)
  t.same(await sql('SELECT count(*) FROM m'), [[2]])
})

t.test('a pipeline may make something else of the samples', async t => {
  const { main, write, sql } = await serve(t)
  const document = `transform:
  - { fields: [room], type: string, index: tag }
  - { fields: ['svc_value, degrees'], type: float64 }
  - { fields: ['svc_timestamp, at'], type: 'epoch, ms', index: timestamp }`
  const headers = { 'content-type': 'application/yaml' }
  const made = await main.inject({ method: 'POST', url: '/v1/pipelines/rooms', payload: document, headers })
  t.equal(made.statusCode, 200, made.body)
  const body = writeV1([
    {
      labels: { __name__: 'temp', room: 'bath' },
      samples: [
        [1000, 21.5],
        [2000, 22]
      ]
    }
  ])
  t.equal((await write(body, { 'x-svc-pipeline-name': 'rooms' })).status, 204)
  t.same(await sql('SELECT room, degrees, epoch_ms(at) FROM temp ORDER BY at'), [
    ['bath', 21.5, 1000],
    ['bath', 22, 2000]
  ])
  t.match((await write(body, { 'x-svc-pipeline-name': 'none' })).body, /none/)
})

t.test('a sender tries again what came too late, and drops what was wrong', async t => {
  const late = formatError(new DbError('DeadlineExceeded', 'no answer', { status: 408 }))
  t.same([late.status, late.body], [504, '{"error":"no answer"}'])
  t.equal(formatError(new DbError('StorageUnavailable', 'x')).status, 503)
  t.equal(formatError(new DbError('InvalidArguments', 'x')).status, 400)
})

t.test('texts that series share may not make a small request a large one', async t => {
  const { write, sql } = await serve(t, '[http]\nbody_limit = "1MiB"')
  const long = 'x'.repeat(10_000)
  const series = Array.from({ length: 200 }, (_, i) => ({
    labels: { __name__: 'm', long, i: String(i) },
    samples: [[1, 1]] as [number, number][]
  }))
  t.match(await write(writeV2(series), v2), {
    status: 413,
    body: /labels of its series, written out.*http\.body_limit/
  })
  t.equal((await write(writeV2(series.slice(0, 50)), v2)).status, 204)
  t.same(await sql('SELECT count(*) FROM m'), [[50]])
})
