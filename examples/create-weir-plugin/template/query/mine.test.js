import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    good: { method: 'GET', url: '/v1/mine' },
    bad: { method: 'GET', url: '/v1/mine?table=none' },
    action: 'read'
  })
})

test('the newest rows come first', async () => {
  const server = await bootServer('[plugins.mine]\nmax_rows = 2\n', { plugins: [plugin] })
  try {
    await server.main.inject({
      method: 'POST',
      url: '/v1/lineproto/write',
      payload: 'm v=1 1000\nm v=2 2000\nm v=3 3000\n'
    })
    const answer = await server.main.inject('/v1/mine?table=m&format=csv')
    assert.deepEqual(
      answer.body
        .trim()
        .split(/\r?\n/)
        .map(line => line.split(',')[0]),
      ['3.0', '2.0']
    )
  } finally {
    await server.discard()
  }
})
