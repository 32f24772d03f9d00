import t from 'tap'
import { startServer } from '../../helpers.ts'
import { processorTime } from '../../time.ts'

const yaml = `# kept as posted
processors:
  - dissect: { field: message, pattern: "%{at} %{level} %{text}" }
  - date: { field: at }
transform:
  - { field: at, type: timestamp, index: timestamp }
  - { field: level, type: string, tag: true }
  - { field: text, type: string, index: fulltext }
`
const line = '2025-03-04T05:06:07.5Z info it works'

interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  readonly body: any
}

function client(base: string) {
  const call = async (method: string, path: string, body?: RequestInit['body'], type?: string): Promise<Answer> => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const response = await fetch(`${base}/v1/pipelines${path}`, {
      method,
      headers,
      ...(body !== undefined && { body })
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    get: (path: string) => call('GET', path),
    remove: (path: string) => call('DELETE', path),
    post: call.bind(null, 'POST')
  }
}

t.test('a pipeline in a form obeys the limit of bodies, and a form that is none is refused', async t => {
  const { addresses } = await startServer(t, '[http]\nbody_limit = "64KiB"')
  const { post } = client(addresses.main)
  const form = new FormData()
  form.append('file', new Blob(['#'.repeat(70_000)]), 'large.yaml')
  t.match(await post('/large', form), { status: 413, body: { error: /65536 bytes \(http\.body_limit\)/ } })
  const many = new FormData()
  for (let i = 0; i < 8; i++) many.append(`file${i}`, new Blob([`${yaml}${'#'.repeat(10_000)}`]))
  t.match(await post('/many', many), { status: 413 }, 'all parts together')
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=q']) {
    const refused = await post('/none', 'not a form', type)
    t.match(refused, { status: 400, body: { code: 1004, error: new RegExp(`is not a form.*: ${type}$`) } })
  }
  t.match(await post('/none', '', 'multipart/form-data; boundary=q'), { body: { error: /pipeline is required/ } })
})

t.test('versions are made, read, deleted and survive a restart', async t => {
  const first = await startServer(t, '[http]\nenable_api_server = true')
  const { get, post } = client(first.addresses.public!)
  const one = await post('/logs', yaml, 'application/x-yaml')
  t.equal(one.status, 200)
  t.equal(one.headers.get('x-svc-format'), 'svc_manage')
  t.match(one.headers.get('x-svc-execution-time'), /^\d+$/)
  t.match(one.body, {
    pipelines: [{ name: 'logs', version: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?$/ }]
  })
  t.same(Object.keys(one.body), ['pipelines', 'execution_time_ms'])
  const form = new FormData()
  form.append('file', new Blob([`${yaml}# second\n`]), 'logs.yaml')
  const two = await post('/logs', form)
  const [older, newer] = [one, two].map(({ body }) => String(body.pipelines[0].version))
  t.ok(newer! > older!)

  t.match((await get('/logs')).body, { pipelines: [{ name: 'logs', version: newer, pipeline: `${yaml}# second\n` }] })
  for (const version of [older!, `${older!.replace(' ', 'T')}Z`, `${older}+00:00`]) {
    const { body } = await get(`/logs?version=${encodeURIComponent(version)}`)
    t.match(body, { pipelines: [{ version, pipeline: yaml }] })
  }
  await first.close()

  const second = await startServer(t, '', { folder: first.folder })
  const again = client(second.addresses.main)
  t.match((await again.get('/logs')).body.pipelines, [{ version: newer }])
  t.match((await again.remove(`/logs?version=${encodeURIComponent(newer!)}`)).body.pipelines, [
    { name: 'logs', version: newer }
  ])
  t.same((await again.remove(`/logs?version=${encodeURIComponent(newer!)}`)).body.pipelines, [])
  t.match((await again.get('/logs')).body.pipelines, [{ version: older }])
  await second.close()

  const third = await startServer(t, '', { folder: first.folder })
  t.match((await client(third.addresses.main).get('/logs')).body.pipelines, [{ version: older }])
})

t.test('an invalid document is refused', async t => {
  const { addresses } = await startServer(t)
  const { get, remove, post } = client(addresses.main)
  const cases: [Promise<Answer>, number, RegExp][] = [
    [post('/svc_mine', yaml, 'text/yaml'), 400, /^Invalid request parameter: pipeline_name cannot start with svc_$/],
    [post('/p', ' ', 'text/yaml'), 400, /pipeline is required in body/],
    [post('/p', yaml, 'text/plain'), 415, /application\/x-yaml.*content type: text\/plain/],
    [post('/p', 'a: [', 'text/yaml; charset=utf-8'), 400, /^Yaml parse error: .* at line 1, column \d+$/],
    [post('/p', 'processors: [{ nope: {} }]', 'text/yaml'), 400, /Unsupported nope processor/],
    [get('/p'), 400, /^Pipeline not found, name: p, version: latest$/],
    [get('/svc_identity'), 400, /^Pipeline not found/],
    [get('/p?version=soon'), 400, /^Invalid pipeline version format: soon$/],
    [remove('/p'), 400, /version is required/]
  ]
  for (const [call, status, message] of cases) {
    const answer = await call
    t.equal(answer.status, status)
    t.match(answer.body, { code: 1004, error: message })
    t.equal(answer.headers.get('x-svc-format'), null)
  }
})

t.test('DDL is inferred from the transform', async t => {
  const { addresses } = await startServer(t)
  const { get, post } = client(addresses.main)
  await post('/logs', yaml, 'text/yaml')
  const { body } = await get('/logs/ddl?table=my`logs')
  t.same(body.sql, {
    sql: `CREATE TABLE IF NOT EXISTS \`my\`\`logs\` (
  \`at\` TIMESTAMP(9) NOT NULL,
  \`level\` STRING NULL,
  \`text\` STRING NULL FULLTEXT INDEX WITH(analyzer = 'English', backend = 'bloom', case_sensitive = 'false', false_positive_rate = '0.01', granularity = '10240'),
  TIME INDEX (\`at\`),
  PRIMARY KEY (\`level\`)
)
ENGINE=embedded
WITH(
  append_mode = 'true'
)`
  })
  await post('/moving', 'transform: [{ field: a, type: int32, index: inverted }]\ntable_suffix: _x', 'text/yaml')
  const moving = (await get('/moving/ddl?table=t')).body.sql
  t.match(moving, {
    sql: /`a` INT NULL INVERTED INDEX,\n {2}`svc_timestamp` TIMESTAMP\(9\) NOT NULL,\n/,
    message: /may not be fixed/
  })
  await post('/auto', 'processors: [{ date: { field: at } }]', 'text/yaml')
  t.match((await get('/auto/ddl?table=t')).body.error, /auto transform doesn't have fixed table schema/)
  t.match((await get('/logs/ddl')).body.error, /table name is required/)
  t.match((await get('/svc_identity/ddl?table=t')).body.error, /built-in pipelines don't have fixed table schema/)
})

t.test('a dry run shows rows and writes nothing', async t => {
  const { addresses, core } = await startServer(t)
  const { post } = client(addresses.main)
  await post('/logs', yaml, 'text/yaml')
  const json = (body: object) => post('/_dryrun', JSON.stringify(body), 'application/json')
  const expected = [
    {
      table_name: 'dry_run',
      schema: [
        { name: 'at', data_type: 'TIMESTAMP_NANOSECOND', column_type: 'TIMESTAMP', fulltext: false },
        { name: 'level', data_type: 'STRING', column_type: 'TAG', fulltext: false },
        { name: 'text', data_type: 'STRING', column_type: 'FIELD', fulltext: true }
      ],
      rows: [
        [
          { key: 'at', value: 1741064767500000000, data_type: 'TIMESTAMP_NANOSECOND', semantic_type: 'TIMESTAMP' },
          { key: 'level', value: 'info', data_type: 'STRING', semantic_type: 'TAG' },
          { key: 'text', value: 'it works', data_type: 'STRING', semantic_type: 'FIELD' }
        ]
      ]
    }
  ]
  const item = { message: line }
  const answers = [
    json({ pipeline: yaml, data: JSON.stringify([item]) }),
    json({ pipeline: yaml, data: [item] }),
    json({ pipeline: yaml, data: item }),
    json({ pipeline_name: 'logs', data: line, data_type: 'text/plain; charset=utf-8' }),
    post('/_dryrun?pipeline_name=logs', `${line}\r\n\n`, 'text/plain'),
    post('/_dryrun?pipeline_name=logs', JSON.stringify(item), 'application/x-ndjson'),
    post('/_dryrun?pipeline_name=logs&ignore_errors=true', `${JSON.stringify(item)} {"`, 'application/json')
  ]
  for (const answer of await Promise.all(answers)) {
    t.equal(answer.headers.get('x-svc-format'), 'svc_manage')
    t.same(answer.body, expected)
  }
  t.same(core.store.tables('public'), [])
})

t.test('a dry run says what is wrong', async t => {
  const { addresses } = await startServer(t, '[plugins.pipelines]\ndry_run_max_items = 2')
  const { post } = client(addresses.main)
  await post('/logs', yaml, 'text/yaml')
  const json = (body: object) => post('/_dryrun', JSON.stringify(body), 'application/json')
  const cases: [Promise<Answer>, RegExp][] = [
    [json({ pipeline: 'x: [', data: '[]' }), /^Failed to build pipeline: Yaml parse error/],
    [
      json({ pipeline: yaml, data: '{"message":"x"}' }),
      /^Failed to exec pipeline: item 0: Processor dissect: No matching/
    ],
    [json({ pipeline_name: 'logs', data: '{"message":"x"}' }), /^item 0: Processor dissect: No matching pattern/],
    [json({ pipeline_name: 'logs', data: '{' }), /^Failed to parse payload as json: /],
    [
      json({ pipeline_name: 'logs', data: '5', data_type: 'text/csv' }),
      /invalid content type: text\/csv, expected: one of/
    ],
    [json({ pipeline_name: 'none', data: '{}' }), /^Pipeline not found, name: none/],
    [json({ pipeline_name: 'svc_identity', data: '{}' }), /^Pipeline not found, name: svc_identity: it is built in/],
    [json({ pipeline: yaml, data: [{}, {}, {}] }), /at most 2 items, got 3 .*dry_run_max_items = 2/],
    [json({ data: '{}' }), /pipeline_name is required/],
    [
      post('/_dryrun?pipeline_name=logs', '{}\n\noops', 'application/x-ndjson'),
      /^item 2: invalid JSON: .* at line 3, column 1$/
    ],
    [post('/_dryrun?pipeline_name=logs', '[5]', 'application/json'), /item 0: expected a JSON object, got a number/],
    [post('/_dryrun?pipeline_name=logs&ignore_errors=1', 'x'), /ignore_errors must be true or false, got 1/],
    [post('/_dryrun'), /data is required/]
  ]
  for (const [call, message] of cases) {
    const answer = await call
    t.equal(answer.status, 400)
    t.match(answer.body, { code: 1004, error: message })
  }
})

t.test('a trace shows the record after each processor, and where an item was lost', async t => {
  const { addresses } = await startServer(t)
  const { post } = client(addresses.main)
  await post('/cards', 'processors: [{ epoch: { field: n, resolution: s } }]', 'text/yaml')
  const pipeline = `processors:
  - dissect: { field: message, pattern: "%{n} %{word}" }
  - epoch: { field: "n, at", resolution: s }
dispatcher:
  field: word
  rules:
    - { value: card, table_suffix: _card, pipeline: cards }
transform:
  - { field: word, type: int32 }
`
  const data = '1 7\noneword\nx 7\n2 card\n3 seven'
  const body = JSON.stringify({ pipeline, data, data_type: 'text/plain', trace: true })
  const answer = await post('/_dryrun', body, 'application/json')
  t.equal(answer.status, 200)
  t.match(answer.body.output, [{ table_name: 'dry_run_card' }, { table_name: 'dry_run' }])
  const dissect = { kind: 'dissect', where: 'processors[0] (line 2)' }
  const epoch = { kind: 'epoch', where: 'processors[1] (line 3)' }
  t.same(answer.body.trace[0], {
    index: 0,
    input: { message: '1 7' },
    steps: [
      { ...dissect, record: { message: '1 7', n: '1', word: '7' } },
      { ...epoch, record: { message: '1 7', n: '1', word: '7', at: '1970-01-01T00:00:01Z' } }
    ]
  })
  t.match(answer.body.trace.slice(1), [
    { index: 1, steps: [{ ...dissect, error: /No matching pattern/ }], error: /No matching pattern/ },
    { index: 2, steps: [dissect, { ...epoch, error: /not an integer: "x" in n/ }], error: /not an integer/ },
    {
      index: 3,
      steps: [
        dissect,
        epoch,
        { kind: 'dispatcher', where: /rules\[0\] \(line 7\)/, pipeline: 'cards', table_name: 'dry_run_card' },
        { kind: 'epoch', record: { n: '1970-01-01T00:00:02Z' } }
      ]
    },
    { index: 4, steps: [dissect, { ...epoch, record: {} }], error: /Column word: not an integer: "seven" to Int32/ }
  ])
  await post('/logs', yaml, 'text/yaml')
  const plain = await post('/_dryrun?pipeline_name=logs&trace=true', `{"message":"${line}"}\n{`, 'application/x-ndjson')
  t.match(plain.body.trace, [
    { steps: [{ kind: 'dissect' }, { kind: 'date' }] },
    { index: 1, input: null, steps: [], error: /invalid JSON/ }
  ])
  t.match(await post('/_dryrun?pipeline_name=logs&trace=1', 'x'), { status: 400 })
  t.match(await post('/_dryrun', JSON.stringify({ pipeline, data: [], trace: 1 })), {
    body: { error: /trace must be/ }
  })
})

t.test('a document that is too large is refused and the key is named', async t => {
  const { addresses } = await startServer(t, '[plugins.pipelines]\nmax_document_size = "1KiB"')
  const { post } = client(addresses.main)
  const large = `${yaml}${'#'.repeat(2000)}`
  const refused = { status: 400, body: { code: 1004, error: /at most are 1024 .*max_document_size = "1KiB"/ } }
  t.match(await post('/p', large, 'text/yaml'), refused)
  t.match(await post('/_dryrun', JSON.stringify({ pipeline: large, data: [] }), 'application/json'), refused)
})

t.test('a long form or document is refused before it is read', async t => {
  const { addresses } = await startServer(t)
  const { post } = client(addresses.main)
  const part = (name: string, text: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  const form = (parts: number) => `${part('file', yaml)}${part('a', 'x').repeat(parts)}--b--\r\n`
  const type = 'multipart/form-data; boundary=b'
  t.match(await post('/parts', form(100), type), { status: 200 })
  const long = form(300_000)
  const before = processorTime()
  const refused = {
    status: 400,
    body: { error: /form has \d+ bytes, .*max_document_size = "128KiB".* 16384 for what/ }
  }
  t.match(await post('/parts', long, type), refused)
  t.match(await post('/long', 'a: b\n'.repeat(1e6), 'text/yaml'), { status: 400, body: { error: /has 5000000 bytes/ } })
  const worked = processorTime() - before
  t.ok(worked < 600, `the thread worked for ${worked} ms`)
})

t.test('a plugin adds a kind of processor through the service', async t => {
  const { definePlugin } = await import('../../../core/index.ts')
  const { Type } = await import('typebox')
  const mark = definePlugin({
    name: 'mark',
    prefix: '/v1/mark',
    servers: ['main'],
    config: Type.Object({}),
    needs: ['pipelines'],
    async setup(_core, _config, { pipelines }) {
      const add = (name: string, settings: unknown) =>
        pipelines.addProcessor({ module: new URL(`./processors/${name}.ts`, import.meta.url), settings })
      await add('mark', 'seen')
      await t.rejects(add('mark', 'twice'), /a processor of kind mark is registered already/)
      await t.rejects(add('taken', undefined), /a processor of kind date is registered already/)
      await t.rejects(add('none', undefined), /none\.ts must make a processor with kind and compile/)
      await t.rejects(add('missing', undefined), /missing\.ts/)
      await t.rejects(
        add('mark', () => undefined),
        /settings of .*mark\.ts must be plain data/
      )
      return {}
    }
  })
  const { addresses } = await startServer(t, '', { plugins: [mark] })
  const pipeline = 'processors: [{ mark: { field: at } }]\ntransform: [{ field: at, type: string }]'
  const { body } = await client(addresses.main).post(
    '/_dryrun',
    JSON.stringify({ pipeline, data: [{}] }),
    'application/json'
  )
  t.match(body, [{ rows: [[{ key: 'at', value: 'seen' }, {}]] }])
})

t.test('a pipeline that is not UTF-8 is refused, in a form too', async t => {
  const { addresses } = await startServer(t)
  const { post, get } = client(addresses.main)
  const latin1 = Buffer.from(`# Größe\n${yaml}`, 'latin1')
  const refused = { status: 400, body: { code: 1004, error: /not valid UTF-8/ } }
  t.match(await post('/latin', new Uint8Array(latin1), 'application/x-yaml'), refused)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(latin1)]), 'p.yaml')
  t.match(await post('/latin', form), refused)
  t.equal((await get('/latin')).status, 400)
})

t.test('a dry run says what is wrong with its JSON', async t => {
  const { addresses } = await startServer(t)
  const { post } = client(addresses.main)
  const broken = await post('/_dryrun', '{"pipeline_name": "p", "data": oops}', 'application/json')
  t.match(broken, { status: 400, body: { code: 1004, error: /the body is not valid JSON: expected a value, got "o"/ } })
  const incomplete = await post('/_dryrun', '{"data": "x"}', 'application/json')
  t.match(incomplete, { status: 400, body: { error: /pipeline_name is required/ } })
})
