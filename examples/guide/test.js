import assert from 'node:assert/strict'
import { test } from 'node:test' // or t from 'tap'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from './first.js'

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    good: { method: 'POST', url: '/v1/mine?table=t', payload: '1.5\n2\n' },
    bad: { method: 'POST', url: '/v1/mine' }
  })
})

test('it stores what it is sent', async () => {
  const server = await bootServer('', { plugins: [plugin] })
  const response = await server.main.inject({ method: 'POST', url: '/v1/mine?table=t', payload: '7\n' })
  assert.deepEqual(response.json(), { rows: 1 })
  await server.discard()
})
