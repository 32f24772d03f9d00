import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import { decode } from '../decode.js'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    good: { method: 'POST', url: '/v1/mine?table=t', payload: 'a.b 1.5 1700000000\n' },
    bad: { method: 'POST', url: '/v1/mine?table=t', payload: 'a.b one\n' }
  })
})

test('lines become columns', () => {
  const { rows, columns } = decode(Buffer.from('a 1\n\nb -2.5 1700000000.25\n'), 'path', 5)
  assert.equal(rows, 2)
  assert.deepEqual(columns[0]?.data, { kind: 'fixed', values: BigInt64Array.of(5n, 1700000000250n) })
  assert.deepEqual(columns[2]?.data, { kind: 'fixed', values: Float64Array.of(1, -2.5) })
  assert.throws(() => decode(Buffer.from('a 1\nb x\n'), 'path', 5), /line 2: expected PATH VALUE/)
})

test('they are found by SQL', async () => {
  const server = await bootServer('', { plugins: [plugin] })
  try {
    const sent = await server.main.inject({ method: 'POST', url: '/v1/mine?table=t', payload: 'door 1\ndoor 3\n' })
    assert.deepEqual(sent.json(), { rows: 2 })
    const answer = await server.main.inject('/v1/sql?sql=SELECT path, count(*) FROM t GROUP BY path')
    assert.equal(answer.json().output[0].records.rows.length, 1)
  } finally {
    await server.discard()
  }
})
