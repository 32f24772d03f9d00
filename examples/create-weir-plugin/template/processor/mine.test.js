import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'
import { hide } from '../processor.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('a text is hidden', () => {
  assert.equal(hide('4111-22', 2, '*'), '*****22')
  assert.equal(hide('é', 2, '*'), 'é')
})

test('a pipeline uses it', async () => {
  const server = await bootServer('', { plugins: [plugin] })
  try {
    const post = (/** @type {string} */ url, /** @type {string} */ type, /** @type {string} */ payload) =>
      server.main.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
    const pipeline = 'processors:\n  - mine: { field: card, keep: 4 }\ntransform: [{ field: card, type: string }]'
    assert.equal((await post('/v1/pipelines/p', 'text/yaml', pipeline)).statusCode, 200)
    await post('/v1/ingest?table=t&pipeline_name=p', 'application/json', '[{"card":"4111222233334444"}]')
    const answer = await server.main.inject('/v1/sql?sql=SELECT card FROM t')
    assert.equal(answer.json().output[0].records.rows[0][0], '************4444')
    const wrong = await post('/v1/ingest?table=t&pipeline_name=p', 'application/json', '[{"card":5}]')
    assert.match(wrong.json().error, /no text in card/)
  } finally {
    await server.discard()
  }
})
