import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { serveRooms } from './api.ts'
import { writeV1 } from './messages.ts'

const query = (text: string, rest = '') => `query=${encodeURIComponent(text)}${rest}`

t.test('query: vectors, matrices, scalars and texts, by GET and by form', async t => {
  const { get, post } = await serveRooms(t)
  for (const call of [get, post]) {
    t.same((await call('query', query('1+1', '&time=1'))).body, {
      status: 'success',
      data: { resultType: 'scalar', result: [1, '2'] }
    })
    t.same((await call('query', query('"a"', '&time=1.5'))).body.data, { resultType: 'string', result: [1.5, 'a'] })
    t.same((await call('query', query('temp{room="bath"}', '&time=1970-01-01T00:00:45Z'))).body.data, {
      resultType: 'vector',
      result: [{ metric: { __name__: 'temp', room: 'bath' }, value: [45, '18'] }]
    })
    t.same((await call('query', query('temp{room="kitchen"}[30s]', '&time=45'))).body.data, {
      resultType: 'matrix',
      result: [
        {
          metric: { __name__: 'temp', room: 'kitchen' },
          values: [
            [30, '22'],
            [45, '23']
          ]
        }
      ]
    })
    t.same((await call('query', query('nothing'))).body.data, { resultType: 'vector', result: [] })
  }
  t.same(
    (await get('query', query('sort_desc(temp)', '&time=45'))).body.data.result.map(
      (one: { value: unknown[] }) => one.value[1]
    ),
    ['23', '18']
  )
})

t.test('query_range: a matrix sorted by labels, also of a number', async t => {
  const { get, post } = await serveRooms(t)
  for (const call of [get, post]) {
    const { body } = await call('query_range', query('max by (room) (temp)', '&start=0&end=30&step=15'))
    t.same(body, {
      status: 'success',
      data: {
        resultType: 'matrix',
        result: [
          {
            metric: { room: 'bath' },
            values: [
              [0, '18'],
              [15, '18'],
              [30, '18']
            ]
          },
          {
            metric: { room: 'kitchen' },
            values: [
              [0, '20'],
              [15, '21'],
              [30, '22']
            ]
          }
        ]
      }
    })
    const scalar = await call('query_range', query('time()', '&start=0&end=1&step=0.5'))
    t.same(scalar.body.data.result, [
      {
        metric: {},
        values: [
          [0, '0'],
          [0.5, '0.5'],
          [1, '1']
        ]
      }
    ])
  }
})

t.test('errors have the types and statuses of their kind', async t => {
  const { get } = await serveRooms(t, '[plugins.promql]\nmax_samples = 20\nmax_metrics = 1\n')
  const range = '&start=0&end=10&step=5'
  const refusals: readonly (readonly [path: string, parameters: string, status: number, type: string, text: RegExp])[] =
    [
      ['query', '', 400, 'bad_data', /invalid parameter "query"/],
      ['query', query('1 +'), 400, 'bad_data', /invalid parameter "query": 1:4: parse error: /],
      [
        'query',
        query('temp', '&time=x'),
        400,
        'bad_data',
        /invalid parameter "time": cannot parse "x" to a valid timestamp/
      ],
      [
        'query',
        query('temp', '&timeout=x'),
        400,
        'bad_data',
        /invalid parameter "timeout": cannot parse "x" to a valid duration/
      ],
      ['query', query('temp', '&timeout=-1'), 400, 'bad_data', /timeout/],
      ...['1e400', '-1e400', '9e15', '1e13'].map(
        time => ['query', query('temp', `&time=${time}`), 400, 'bad_data', /invalid parameter "time"/] as const
      ),
      ...['1e400', '300y'].flatMap(long => [
        [
          'query',
          query('temp', `&lookback_delta=${long}`),
          400,
          'bad_data',
          /invalid parameter "lookback_delta"/
        ] as const,
        ['query', query('temp', `&timeout=${long}`), 400, 'bad_data', /invalid parameter "timeout"/] as const,
        [
          'query_range',
          query('temp', `&start=0&end=10&step=${long}`),
          400,
          'bad_data',
          /invalid parameter "step"/
        ] as const
      ]),
      ['query_range', query('temp', '&start=-1e400&end=10&step=1'), 400, 'bad_data', /invalid parameter "start"/],
      ['query_range', query('temp', '&start=0&end=1e400&step=1'), 400, 'bad_data', /invalid parameter "end"/],
      ['series', 'match[]=temp&start=1e400', 400, 'bad_data', /invalid parameter "start"/],
      ['labels', 'end=-1e400', 400, 'bad_data', /invalid parameter "end"/],
      ['query', query('temp', '&lookback_delta=0'), 400, 'bad_data', /lookback_delta/],
      ['query', query('temp', '&limit=-1'), 400, 'bad_data', /limit/],
      ['query', query('temp * on() hits_total', '&time=45'), 422, 'execution', /many-to-one|duplicate|multiple/],
      ['query', query('{__name__=~".+"}', '&time=45'), 400, 'bad_data', /plugins\.promql\.max_metrics/],
      ['query', query('limitk(1, temp)'), 400, 'bad_data', /plugins\.promql\.experimental/],
      ['query', query('temp{room=~"("}'), 400, 'bad_data', /parse error: error parsing regexp: missing closing/],
      ['query_range', query('temp'), 400, 'bad_data', /invalid parameter "start"/],
      ['query_range', query('temp', '&start=0&end=10'), 400, 'bad_data', /invalid parameter "step"/],
      [
        'query_range',
        query('temp', '&start=9&end=1&step=1'),
        400,
        'bad_data',
        /end timestamp must not be before start time/
      ],
      [
        'query_range',
        query('temp', '&start=0&end=1&step=0'),
        400,
        'bad_data',
        /zero or negative query resolution step/
      ],
      [
        'query_range',
        query('temp', '&start=0&end=11001&step=1'),
        400,
        'bad_data',
        /exceeded maximum resolution of 11,000 points/
      ],
      ['query_range', query('temp', '&start=0&end=100&step=1'), 422, 'execution', /plugins\.promql\.max_samples/],
      ['query_range', query('"a"', range), 400, 'bad_data', /invalid expression type "string" for range query/],
      ['query_range', query('temp[5m]', range), 400, 'bad_data', /must be Scalar or instant Vector/],
      [
        'query',
        query(`temp{${'a!~"b.",'.repeat(400)}}`),
        400,
        'bad_data',
        /the regular expressions of the request have more than 10000 characters \(plugins\.promql\.max_pattern_length\)/
      ],
      ['query', query(`temp{${'a=~"a{1000}b{1000}",'.repeat(5)}}`), 400, 'bad_data', /have more than 10000 characters/],
      [
        'query',
        query(Array.from({ length: 5 }, () => 'label_replace(temp,"a","$1","b",("a{1000}b{1000}"))').join('or ')),
        400,
        'bad_data',
        /have more than 10000 characters/
      ],
      [
        'query',
        query('temp{a=~"(x{1000}y){1000}"}'),
        400,
        'bad_data',
        /have more than 10000 characters .*written so often/
      ],
      ['series', '', 400, 'bad_data', /no match\[\] parameter provided/],
      ['series', 'match[]=temp{', 400, 'bad_data', /^invalid parameter "match\[\]": 1:6: parse error: unexpected end/],
      ['labels', 'match[]=temp{a=~"("}', 400, 'bad_data', /^invalid parameter "match\[\]": 1:6: .*missing closing/],
      ['series', 'match[]={a=~".*"}', 400, 'bad_data', /match\[\] must contain at least one non-empty matcher/],
      [
        'series',
        `${'match[]=temp&'.repeat(101)}`,
        400,
        'bad_data',
        /101 selectors are given, at most 100 are read \(plugins\.promql\.max_selectors\)/
      ],
      [
        'series',
        `match[]=temp&start=${'1'.repeat(200)}`,
        400,
        'bad_data',
        /^invalid parameter "start": cannot parse "1{100}…" to a valid timestamp$/
      ],
      ['series', 'match[]=sum(temp)', 400, 'bad_data', /expected a series selector/],
      ['label/__name__/values', 'limit=x', 400, 'bad_data', /limit/],
      ['metadata', 'limit=x', 400, 'bad_data', /limit must be a number/],
      ['format_query', query('foo{'), 400, 'bad_data', /parse error/],
      ['parse_query', query('foo{'), 400, 'bad_data', /parse error/],
      ['targets', '', 404, 'not_found', /there is no/]
    ]
  for (const [path, parameters, status, type, text] of refusals) {
    const { body, ...reply } = await get(path, parameters)
    t.equal(reply.status, status, `${path}?${parameters}: ${JSON.stringify(body)}`)
    t.same(Object.keys(body), ['status', 'errorType', 'error'])
    t.equal(body.errorType, type)
    t.match(body.error, text)
    t.ok(reply.headers['x-svc-err-code'], 'its code is in a header')
  }
})

t.test('exactly as many steps as the limit says are taken', async t => {
  const { get } = await serveRooms(t)
  t.equal((await get('query_range', query('temp', '&start=0&end=11000&step=1'))).status, 200)
})

t.test('a query that takes longer than it may ends, and says which limit it was', async t => {
  const { get, core } = await serveRooms(t, '[plugins.promql]\nmax_points = 1000000\nmax_samples = 500000000\n')
  const slow = query('sum_over_time(sum_over_time(vector(1)[10h:1s])[24h:1s])', '&time=100')
  const { status, body } = await get('query', `${slow}&timeout=50ms`)
  t.equal(status, 503)
  t.match(body, { errorType: 'timeout', error: /no result within 50ms \(parameter timeout\)/ })
  t.match(await core.metrics.expose(), /svc_promql_queries_total\{kind="instant",result="timeout"\} 1/)
})

t.test('a limit cuts the answer and says so', async t => {
  const { get } = await serveRooms(t)
  const one = await get('query', query('temp', '&time=45&limit=1'))
  t.equal(one.body.data.result.length, 1)
  t.same(one.body.warnings, ['results truncated due to limit'])
  t.notOk((await get('query', query('temp', '&time=45&limit=2'))).body.warnings)
  t.same((await get('labels', 'limit=1')).body, {
    status: 'success',
    data: ['__name__'],
    warnings: ['results truncated due to limit']
  })
  t.equal((await get('series', 'match[]=temp&limit=1')).body.data.length, 1)
  t.same((await get('label/room/values', 'limit=1')).body.data, ['bath'])
})

t.test('lookback_delta is how long a sample counts', async t => {
  const { get } = await serveRooms(t)
  const count = async (rest: string) => (await get('query', query('temp', `&time=100${rest}`))).body.data.result.length
  t.same([await count(''), await count('&lookback_delta=1m'), await count('&lookback_delta=30')], [2, 2, 0])
})

t.test('stats tell what a query cost, by step where all is asked for', async t => {
  const { get } = await serveRooms(t)
  const range = '&start=0&end=30&step=15'
  const { stats } = (await get('query_range', query('sum(temp)', `${range}&stats=true`))).body.data
  t.same(Object.keys(stats.timings), [
    'evalTotalTime',
    'resultSortTime',
    'queryPreparationTime',
    'innerEvalTime',
    'execQueueTime',
    'execTotalTime'
  ])
  t.same(stats.samples.totalQueryableSamples, 6)
  t.ok(stats.samples.peakSamples >= 6)
  const all = (await get('query_range', query('sum_over_time(temp[30s])', `${range}&stats=all`))).body.data
  t.same(all.stats.samples.totalQueryableSamplesPerStep, [
    [0, 2],
    [15, 4],
    [30, 4]
  ])
  t.equal(all.result.length, 2)
  t.notOk((await get('query', query('1'))).body.data.stats)
})

t.test('annotations come with the answer', async t => {
  const { get } = await serveRooms(t)
  const { body } = await get('query', query('rate(temp[1m])', '&time=45'))
  t.match(body.infos, [/metric might not be a counter/])
  const { warnings } = (await get('query', query('quantile(2, temp)', '&time=45'))).body
  t.match(warnings, [/quantile value should be between 0 and 1, got 2/])
})

t.test('labels, their values and series, by selectors and times', async t => {
  const { get, post } = await serveRooms(t)
  for (const call of [get, post]) {
    t.same((await call('labels')).body.data, ['__name__', 'a.b', 'room'])
    t.same((await call('labels', 'match[]=temp')).body.data, ['__name__', 'room'])
    t.same((await call('labels', 'match[]=temp&match[]=hits_total')).body.data, ['__name__', 'a.b', 'room'])
    t.same((await call('labels', 'match[]=nothing')).body.data, [])
    t.same((await call('label/__name__/values')).body.data, ['hits_total', 'temp'])
    t.same((await call('label/__name__/values', 'match[]={room="bath"}')).body.data, ['temp'])
    t.same((await call('label/room/values')).body.data, ['bath', 'kitchen'])
    t.same((await call('label/room/values', 'match[]=hits_total')).body.data, ['kitchen'])
    t.same((await call('label/U__a_2e_b/values')).body.data, ['c'])
    t.same((await call('label/a.b/values')).body.data, ['c'])
    t.same((await call('label/nothing/values')).body.data, [])
    t.same((await call('label/__schema__/values', 'match[]=temp')).body.data, ['public'])
    t.same((await call('series', 'match[]=hits_total')).body.data, [
      { __name__: 'hits_total', 'a.b': 'c', room: 'kitchen' }
    ])
    t.equal((await call('series', 'match[]=temp&match[]={room="bath"}')).body.data.length, 2)
    t.same((await call('series', 'match[]=hits_total&start=10&end=20')).body.data, [])
    t.same((await call('series', 'match[]=hits_total&start=10&end=60')).body.data.length, 1)
  }
})

t.test('metadata of metrics with any name, each entry once, up to limits', async t => {
  const { get, write } = await serveRooms(t, '[plugins.metricsys]\nmax_read_metrics = 7')
  const help = ['first', 'second', 'second', 'third']
  for (const text of help)
    await write(
      writeV1(
        [],
        ['__proto__', 'constructor', 'm'].map(metric => ({ metric, type: 1, help: text }))
      )
    )
  const names = async (parameters: string) => {
    const { data } = (await get('metadata', parameters)).body as { data: Record<string, unknown[]> }
    return Object.entries(data).map(([name, entries]) => `${name} ${entries.length}`)
  }
  t.same(await names(''), ['__proto__ 3', 'constructor 3', 'hits_total 1', 'm 3', 'temp 1'])
  t.same(await names('limit=2&limit_per_metric=1'), ['__proto__ 1', 'constructor 1'])
  t.same(await names('metric=__proto__&limit_per_metric=0'), ['__proto__ 3'])
})

t.test('lists longer than a piece of their JSON are whole', async t => {
  const { get, write } = await serveRooms(t)
  const time = Date.now()
  const rooms = Array.from({ length: 600 }, (_, i) => `r${String(i).padStart(3, '0')}`)
  await write(writeV1(rooms.map(room => ({ labels: { __name__: 'many', room }, samples: [[time, 1]] as const }))))
  t.same((await get('label/room/values', 'match[]=many')).body.data, rooms)
  t.same(
    (await get('series', 'match[]=many&limit=300')).body.data.map((each: { room: string }) => each.room),
    rooms.slice(0, 300)
  )
  t.same((await get('series', 'match[]=none')).body.data, [])
})

t.test('metadata, formatting, trees and the version', async t => {
  const { get, post } = await serveRooms(t)
  for (const call of [get, post]) {
    t.same((await call('metadata')).body.data, {
      hits_total: [{ type: 'counter', unit: '', help: 'Hits.' }],
      temp: [{ type: 'gauge', unit: 'celsius', help: 'How warm it is.' }]
    })
    t.same(Object.keys((await call('metadata', 'metric=temp')).body.data), ['temp'])
    t.same((await call('metadata', 'limit=0')).body.data, {})
    t.equal((await call('format_query', query('foo/bar'))).body.data, 'foo / bar')
    t.match((await call('parse_query', query('sum by (a) (foo{b="c"}[5m:1m])'.replace('[5m:1m]', '')))).body.data, {
      type: 'aggregation',
      op: 'sum',
      grouping: ['a'],
      without: false,
      param: null,
      expr: { type: 'vectorSelector', name: 'foo', offset: 0, timestamp: null, startOrEnd: null }
    })
    t.match((await call('status/buildinfo')).body.data, { version: /^[23]\.\d+\.\d+$/, goVersion: '' })
  }
})

t.test('the database is the one that is named; one that is unknown is empty', async t => {
  const { get, sql } = await serveRooms(t)
  await sql('CREATE DATABASE other')
  const count = async (rest: string, headers = {}) =>
    (await get('query', query('temp', `&time=45${rest}`), headers)).body.data.result.length
  t.same(await count(''), 2)
  t.same(await count('&db=other'), 0)
  t.same(await count('&db=unknown'), 0)
  t.same(await count('', { 'x-svc-db-name': 'other' }), 0)
  t.same(await count('&db=public', { 'x-svc-db-name': 'other' }), 2)
  t.same(await count('&db=svc-public'), 2)
  for (const path of ['labels', 'label/room/values', 'series', 'metadata']) {
    const { status, body } = await get(path, 'db=unknown&match[]=temp')
    t.equal(status, 200, path)
    t.equal(Object.keys(body.data).length, 0, path)
  }
  const elsewhere = await get('query', query('temp{__database__="public"}', '&time=45&db=other'))
  t.equal(elsewhere.body.data.result.length, 2, 'a selector may name another one')
})

t.test('a user who may only write learns nothing', async t => {
  const { get } = await serveRooms(t, 'user_provider = "static_user_provider:cmd:writer:wo=w,reader:ro=r"')
  const as = (user: string) => ({ authorization: `Basic ${Buffer.from(user).toString('base64')}` })
  const paths = [
    'query?1',
    'labels',
    'series',
    'label/room/values',
    'metadata',
    'format_query',
    'parse_query',
    'status/buildinfo'
  ]
  for (const path of paths.map(each => each.replace('?1', ''))) {
    const { status, body } = await get(path, `${query('1')}&match[]=temp`, as('writer:w'))
    t.equal(status, 403, path)
    t.match(body, { status: 'error', errorType: 'bad_data' })
    t.equal((await get(path, `${query('1')}&match[]=temp`, as('reader:r'))).status, 200, path)
  }
})

t.test('large answers are compressed for clients that take it', async t => {
  const { get } = await serveRooms(t, '[http]\ncors_allowed_origins = ["https://grafana.example"]\n')
  const large = query('temp', '&start=0&end=300&step=0.2')
  const streamed = query('temp', '&start=0&end=300&step=0.03')
  for (const [asked, least] of [
    [large, 14_000],
    [streamed, 2 ** 18]
  ] as const) {
    const plain = await get('query_range', asked)
    const size = JSON.stringify(plain.body).length
    const headers = { 'accept-encoding': 'deflate, gzip;q=0.5' }
    const packed = await get('query_range', asked, headers)
    t.ok(size > least, `${size}`)
    t.equal(packed.headers['content-encoding'], 'gzip')
    t.ok(packed.body.length < size / 4)
    t.same(JSON.parse(gunzipSync(packed.body).toString()), plain.body)
  }
  const page = await get('query', query('1'), { origin: 'https://grafana.example' })
  t.match(page.headers['vary'], /origin.*accept-encoding/)
  for (const accepted of ['gzip;q=0', 'br', 'identity']) {
    t.notOk((await get('query_range', large, { 'accept-encoding': accepted })).headers['content-encoding'], accepted)
  }
  const small = await get('query_range', query('temp', '&start=0&end=300&step=1'), { 'accept-encoding': 'gzip' })
  t.notOk(small.headers['content-encoding'], 'small ones are not')
})

t.test('queries are counted by kind and result, and slow ones are kept', async t => {
  const { get, core, sql } = await serveRooms(t, '[slow_query]\nthreshold = "0s"\n')
  await get('query', query('temp', '&time=45'))
  await get('query_range', query('max(temp)', '&start=0&end=30&step=15'))
  await get('query', query('temp +'))
  const metrics = await core.metrics.expose()
  t.match(metrics, /svc_promql_queries_total\{kind="instant",result="success"\} 1/)
  t.match(metrics, /svc_promql_queries_total\{kind="range",result="success"\} 1/)
  t.match(metrics, /svc_promql_queries_total\{kind="instant",result="syntax"\} 1/)
  t.match(metrics, /svc_promql_query_elapsed_count\{kind="range"\} 1/)
  const slow = 'SELECT query, promql_range, promql_step FROM slow_queries WHERE is_promql ORDER BY timestamp'
  t.same(
    await eventually(
      () => sql(slow, 'svc_private'),
      rows => rows.length === 3
    ),
    [
      ['temp', 0, null],
      ['max(temp)', 30_000, 15_000],
      ['temp +', 0, null]
    ]
  )
})
