import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pluginContract } from 'weir-server/testing'
import plugin, { decode } from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    good: { method: 'POST', url: '/v1/plaintext?table=t', payload: 'a line\n' },
    bad: { method: 'POST', url: '/v1/plaintext', payload: 'no table\n' }
  })
})

test('lines become columns', () => {
  const { rows, columns } = decode(Buffer.from('one\n\ntwö\n'), 'line', 5)
  assert.equal(rows, 2)
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['time', 'line']
  )
})
