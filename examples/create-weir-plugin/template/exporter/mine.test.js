import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('rows are handed on as they are stored, again when they are not taken', async () => {
  /** @type {{ v: number }[]} */
  const rows = []
  const done = Promise.withResolvers()
  let requests = 0
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      response.statusCode = requests++ === 0 ? 503 : 200
      response.end()
      if (response.statusCode === 503) return
      rows.push(...JSON.parse(body))
      if (rows.some(({ v }) => v === 3)) done.resolve(undefined)
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address())
  const toml = `[plugins.mine]\ntable = "m"\nurl = "http://127.0.0.1:${port}/"\ninterval = "20ms"\nretry = "20ms"\n`
  const server = await bootServer(toml, { plugins: [plugin] })
  try {
    const write = (/** @type {string} */ payload) =>
      server.main.inject({ method: 'POST', url: '/v1/lineproto/write', payload })
    // Rows count from when the table is followed.
    for (let i = 0; rows.length === 0; i++) {
      await write(`m v=0 ${i}\n`)
      await pause(20)
    }
    await write('m v=1 1000\nm v=2 2000\n')
    await write('m v=3 3000\n')
    await done.promise
    assert.deepEqual(
      rows
        .map(({ v }) => v)
        .filter(v => v > 0)
        .sort(),
      [1, 2, 3]
    )
  } finally {
    await server.discard()
    receiver.close()
  }
})
