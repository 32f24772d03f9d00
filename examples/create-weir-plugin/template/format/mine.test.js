import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('results come in the format', async () => {
  const server = await bootServer('[plugins.mine]\nmissing = "–"\n', { plugins: [plugin] })
  try {
    const ask = (/** @type {string} */ sql) =>
      server.main.inject(`/v1/sql?${new URLSearchParams({ format: 'mine', sql })}`)
    const answer = await ask("SELECT 9007199254740993 AS n, 'a|b' AS word, NULL AS none; SELECT 1.5 AS x")
    assert.equal(answer.headers['content-type'], 'text/markdown; charset=utf-8')
    assert.equal(
      answer.body,
      '| n | word | none |\n| --- | --- | --- |\n| 9007199254740993 | a\\|b | – |\n\n| x |\n| --- |\n| 1.5 |\n\n'
    )
    const wrong = await server.main.inject('/v1/sql?format=other&sql=SELECT 1')
    assert.match(wrong.json().error, /expected one of .*parquet.*mine/)
  } finally {
    await server.discard()
  }
})
