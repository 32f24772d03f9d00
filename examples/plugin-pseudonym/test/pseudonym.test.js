import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { bootServer } from 'weir-server/testing'
import plugin from '../index.js'

test('a pipeline hides names', async () => {
  const server = await bootServer('[plugins.pseudonym]\nsecret = "salt"\n', { plugins: [plugin] })
  try {
    const post = (/** @type {string} */ url, /** @type {string} */ type, /** @type {string} */ payload) =>
      server.main.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    const pipeline =
      'processors:\n  - pseudonym: { field: user, length: 12 }\ntransform: [{ field: user, type: string }]'
    assert.equal((await post('/v1/pipelines/p', 'text/yaml', pipeline)).statusCode, 200)
    await post('/v1/ingest?table=t&pipeline_name=p', 'application/json', '[{"user":"eva"}]')
    const answer = await server.main.inject('/v1/sql?sql=SELECT "user" FROM t')
    const hash = createHmac('sha256', 'salt').update('eva').digest('hex').slice(0, 12)
    assert.deepEqual(answer.json().output[0].records.rows, [[hash]])
  } finally {
    await server.discard()
  }
})
