import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { type Core, internalContext, isValid, type Table } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const ndjson = { 'content-type': 'application/x-ndjson' }

async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const ingest = async (query: string, body: string | Buffer, headers: Record<string, string> = ndjson) => {
    const url = `${server.addresses.main}/v1/ingest?${query}`
    const answer = await fetch(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : new Uint8Array(body),
      headers
    })
    const reply = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, headers: answer.headers, body: { ...reply, execution_time_ms: 0 } as typeof reply }
  }
  const create = async (name: string, yaml: string) => {
    const url = `${server.addresses.main}/v1/pipelines/${name}`
    const answer = await fetch(url, { method: 'POST', body: yaml, headers: { 'content-type': 'application/yaml' } })
    if (answer.status !== 200) throw new Error(await answer.text())
  }
  return { ...server, ingest, create, rows: (table: string) => rows(server.core, table) }
}

/** A table's rows without its time index, in order of a column `n` where there is one. */
async function rows(core: Core, name: string): Promise<Record<string, unknown>[]> {
  const table = core.store.table('public', name) as Table
  const columns = table.columns.filter(column => column.semantic !== 'timestamp').map(column => column.name)
  const result = await core.store.query(internalContext(core, 'test'), { kind: 'scan', table, columns })
  const found: Record<string, unknown>[] = []
  for await (const batch of result.batches()) {
    for (let row = 0; row < batch.rows; row++) {
      const cells = batch.columns.flatMap(({ values, valid }, i) =>
        isValid(valid, row) && values[row] !== null ? [[columns[i], values[row]]] : []
      )
      found.push(Object.fromEntries(cells))
    }
  }
  return found.sort((a, b) => Number(a['n'] ?? 0) - Number(b['n'] ?? 0))
}

const written = (affectedrows: number) => ({ output: [{ affectedrows }], execution_time_ms: 0 })

t.test('items of every content type become rows', async t => {
  const { ingest, rows } = await serve(t)
  const query = 'table=a&pipeline_name=svc_identity'
  const first = await ingest(query, '{"n":1,"id":1700000000123456789,"half":0.5}\n{"n":2,"deep":{"x":[1]}}\n')
  t.same(first.body, written(2))
  t.equal(first.status, 200)
  t.equal(first.headers.get('x-svc-format'), 'svc_v1')
  t.match(first.headers.get('x-svc-execution-time'), /^\d+$/)
  t.same(
    (await ingest(query, '[{"n":3},{"n":4}] {"n":5}', { 'content-type': 'application/json; charset=utf-8' })).body,
    written(3)
  )
  t.same(
    (await ingest('table=lines&pipeline_name=svc_identity', 'one\ntwo', { 'content-type': 'text/plain' })).body,
    written(2)
  )
  t.same(await rows('a'), [
    { n: 1n, id: 1700000000123456789n, half: 0.5 },
    { n: 2n, 'deep.x': '[1]' },
    { n: 3n },
    { n: 4n },
    { n: 5n }
  ])
  t.same((await rows('lines')).map(row => row['message']).sort(), ['one', 'two'])
})

t.test('an empty body is not an item', async t => {
  const { ingest, core } = await serve(t)
  for (const [type, body] of [
    ['application/json', '[]'],
    ['application/json', ''],
    ['text/plain', '\n'],
    ['application/x-ndjson', '']
  ]) {
    const answer = await ingest('table=a&pipeline_name=svc_identity', body!, { 'content-type': type! })
    t.same([answer.status, answer.body], [200, written(0)])
  }
  t.equal(core.store.table('public', 'a'), undefined)
})

t.test('missing parameters are named, in order', async t => {
  const { ingest } = await serve(t)
  const refuses = async (
    query: string,
    headers: Record<string, string>,
    message: RegExp,
    body: Buffer | string = '{}'
  ) => {
    const answer = await ingest(query, body, headers)
    t.equal(answer.status, 400)
    t.match(answer.body, { error: message })
  }
  await refuses('skip_error=1', ndjson, /skip_error must be true or false, got 1/)
  await refuses('pipeline_name=svc_identity', ndjson, /table is required/)
  await refuses('table=a', ndjson, /pipeline_name is required/)
  const csv = { 'content-type': 'text/csv' }
  const types =
    /invalid content type: text\/csv, expected: one of application\/json, application\/x-ndjson, text\/plain/
  await refuses('table=a&pipeline_name=svc_identity', csv, types)
  await refuses('table=a&pipeline_name=svc_identity&version=two', ndjson, /Invalid pipeline version format: two/)
  await refuses('table=a&pipeline_name=nope', ndjson, /Pipeline not found, name: nope/)
  const missing = await ingest('table=a&pipeline_name=svc_identity&db=nope', '{"a":1}')
  t.match([missing.status, missing.body], [400, { code: 4004, error: /nope/ }])
})

t.test('without a content type the three are named', async t => {
  const { main } = await serve(t)
  const url = '/v1/ingest?table=a&pipeline_name=svc_identity'
  for (const payload of ['{}', '']) {
    const answer = await main.inject({ method: 'POST', url, payload })
    t.equal(answer.statusCode, 400)
    t.match(answer.json(), { code: 1004, error: /application\/json, application\/x-ndjson, text\/plain/ })
  }
})

t.test('one item that fails takes the request with it, skip_error leaves it out and counts it', async t => {
  const { ingest, create, core, rows } = await serve(t)
  await create(
    'split',
    [
      'processors:',
      '  - dissect: { fields: [line], patterns: ["%{n} %{word}"] }',
      '  - epoch: { field: at, resolution: s }',
      'transform:',
      '  - { field: n, type: int64 }',
      '  - { field: word, type: string }',
      '  - { field: at, type: time, index: timestamp }'
    ].join('\n')
  )
  const body = '{"line":"1 paid","at":1}\n\n{"line":"2paid","at":2}\nbroken\n{"line":"3 open","at":3}'
  const query = 'table=orders&pipeline_name=split'
  const broken = await ingest(query, body)
  t.match([broken.status, broken.body], [400, { code: 1004, error: /^item 3: invalid JSON: .* line 4, column 1/ }])
  const tolerant = await ingest(`${query}&ignore_errors=true`, body)
  t.match([tolerant.status, tolerant.body], [400, { code: 1004, error: /^item 2: Processor dissect/ }])
  t.equal(core.store.table('public', 'orders'), undefined, 'nothing was written, no table made')

  const skipping = await ingest(`${query}&skip_error=true`, body)
  t.match(skipping.body, { ...written(2), skipped: { count: 2, errors: [{ index: 2 }, { index: 3 }] } })
  t.same(await rows('orders'), [
    { n: 1n, word: 'paid' },
    { n: 3n, word: 'open' }
  ])
  const metrics = await core.metrics.expose()
  t.match(metrics, 'svc_items_skipped_total{plugin="ingest",reason="decode"} 1')
  t.match(metrics, 'svc_items_skipped_total{plugin="ingest",reason="pipeline"} 1')
})

t.test('headers name the pipeline and its parameters and win over the query', async t => {
  const { ingest } = await serve(t)
  const bad = '{"a":1}\n{"a":"x"}'
  const named = { ...ndjson, 'x-svc-pipeline-name': ' ', 'x-svc-log-pipeline-name': 'svc_identity' }
  t.equal((await ingest('table=a&pipeline_name=nope', '{"a":1}', named)).status, 200)
  const skip = { ...named, 'x-svc-pipeline-params': 'skip_error=Yes&other=1' }
  t.match((await ingest('table=b&skip_error=false', bad, skip)).body, { ...written(1), skipped: { count: 1 } })
  const strict = { ...named, 'x-svc-pipeline-params': 'skip_error=no' }
  t.equal((await ingest('table=b&skip_error=true', bad, strict)).status, 400)
})

t.test('levels of nesting and the time index of the identity pipeline are passed on', async t => {
  const { ingest, rows, core } = await serve(t)
  const headers = { ...ndjson, 'x-svc-pipeline-params': 'max_nested_levels=1' }
  await ingest('table=a&pipeline_name=svc_identity&custom_time_index=t;epoch;ms', '{"t":5,"o":{"p":{"q":1}}}', headers)
  t.same(await rows('a'), [{ o: '{"p":{"q":1}}' }])
  t.match(core.store.table('public', 'a')?.timeIndex, { name: 't', type: 'TimestampMillisecond' })
})

t.test('bodies may be compressed', async t => {
  const { ingest } = await serve(t)
  const headers = { ...ndjson, 'content-encoding': 'gzip' }
  t.same((await ingest('table=a&pipeline_name=svc_identity', gzipSync('{"a":1}'), headers)).body, written(1))
})
