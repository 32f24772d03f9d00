import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace, runPaced } from 'weir-server'
import { bootServer, pluginContract } from 'weir-server/testing'
import { readBulk } from '../bulk.js'
import { credentialsOf } from '../credentials.js'
import plugin from '../index.js'
import { bulkAnswer, wantedOf } from '../reply.js'

/** @param {unknown[]} values */
const lines = (...values) => values.map(value => `${JSON.stringify(value)}\n`).join('')

/** @param {string} text @param {number} max */
const read = (text, max = 10) =>
  runPaced(new Pace(new AbortController()), readBulk(Buffer.from(text), { index: 'shop', pipeline: 'p', max }))

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    good: {
      method: 'POST',
      url: '/v1/elastic/shop/_bulk',
      payload: lines({ index: {} }, { '@timestamp': '2026-01-02T03:04:05Z', open: true })
    },
    bad: { method: 'POST', url: '/v1/elastic/_bulk', payload: 'x\n' }
  })
})

test('a body becomes actions', async () => {
  const [first, second, third, ...more] = await read(
    `${lines({ index: {} }, { n: 1 }, { create: { _index: 'other', _id: 7, pipeline: 'q' } })}  []\r\n${lines({ delete: {} })}`
  )
  assert.deepEqual(
    { ...first, document: first.document.toString() },
    { operation: 'index', index: 'shop', id: undefined, pipeline: 'p', document: '{"n":1}', error: undefined }
  )
  assert.deepEqual([second.operation, second.index, second.id, second.pipeline], ['create', 'other', '7', 'q'])
  assert.match(second.error?.reason ?? '', /not an object/)
  assert.match(third.error?.reason ?? '', /only added/)
  assert.equal(more.length, 0)
  await assert.rejects(read('{"index":{}}\n{}\n{"index":{}}\n{}\n', 1), { status: 413 })
  await assert.rejects(read('{"index":{}}\n'), /ends behind the action in line 1/)
  await assert.rejects(read('{"upsert":{}}\n{}\n'), /malformed action in line 1/)
})

test('actions become an answer', async () => {
  const actions = await read(lines({ index: {} }, { n: 1 }, { update: { _id: 'a' } }, {}))
  const wanted = wantedOf('errors,items.*.status')
  const answer = JSON.parse([...bulkAnswer(actions, 5, wanted)].join(''))
  assert.deepEqual(answer, { took: 5, errors: true, items: [{ index: { status: 201 } }, { update: { status: 400 } }] })
})

test('a key is a user and a password', () => {
  const key = Buffer.from('agent:w:x').toString('base64')
  assert.deepEqual(credentialsOf(`ApiKey ${key}`), { kind: 'password', user: 'agent', password: 'w:x' })
  assert.equal(credentialsOf('Bearer x'), undefined)
  assert.equal(credentialsOf(undefined), undefined)
  assert.throws(() => credentialsOf('ApiKey x'), /expected ApiKey/)
})

test('documents are found by SQL, of two instances, and all routes are described', async () => {
  const server = await bootServer('[plugins.elastic]\n[plugins."elastic/edge"]\ntable = "edge"\n', {
    plugins: [plugin]
  })
  try {
    /** @param {string} url @param {string} payload */
    const post = (url, payload) => server.main.inject({ method: 'POST', url, payload })
    const sent = await post('/v1/elastic/_bulk', lines({ index: { _index: 'shop-2026.01.02' } }, { page: '/home' }))
    assert.equal(sent.json().items[0].index.status, 201)
    assert.equal((await post('/v1/elastic/edge/any/_doc', '{"page":\n"/cart"}')).statusCode, 201)
    const answer = await server.main.inject(
      '/v1/sql?sql=SELECT page FROM shop UNION ALL SELECT page FROM edge ORDER BY 1'
    )
    assert.deepEqual(answer.json().output[0].records.rows, [['/cart'], ['/home']])

    /** @type {{ paths: Record<string, Record<string, { summary?: string, responses: object }>> }} */
    const { paths } = (await server.main.inject('/v1/openapi.json')).json()
    const own = Object.entries(paths).filter(([path]) => path.startsWith('/v1/elastic'))
    assert.ok(own.some(([path]) => path === '/v1/elastic/edge/{index}/_bulk'))
    for (const [path, operations] of own)
      for (const [method, { summary, responses }] of Object.entries(operations)) {
        assert.ok(summary, `${method} ${path} says what it does`)
        assert.doesNotMatch(JSON.stringify(responses), /\*\/\*/, `${method} ${path} says what it answers`)
      }
  } finally {
    await server.discard()
  }
})
