import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('keys let users in, as far as their mode goes', async () => {
  const sha256 = createHash('sha256').update('secret').digest('hex')
  const server = await bootServer(
    `user_provider = "plugin:mine"\n[[plugins.mine.keys]]\nname = "reader"\nsha256 = "${sha256}"\n`,
    { plugins: [plugin] }
  )
  try {
    const ask = async (/** @type {string} */ key, sql = 'SELECT 1') => {
      const url = `/v1/sql?${new URLSearchParams({ sql })}`
      return (await server.main.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode
    }
    assert.equal(await ask('secret'), 200)
    assert.equal(await ask('secret', 'CREATE DATABASE d'), 403)
    assert.equal(await ask('guessed'), 401)
    assert.equal((await server.main.inject('/v1/sql?sql=SELECT 1')).statusCode, 401)
  } finally {
    await server.discard()
  }
})
