import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

/** Takes rows, as far as `isUp` says so. */
async function receiver() {
  const state = { isUp: true, rows: /** @type {number[]} */ ([]), url: '', refused: 0, close: () => {} }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      if (state.isUp) for (const { v } of JSON.parse(body)) state.rows.push(v)
      else state.refused++
      response.writeHead(state.isUp ? 200 : 503).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  state.url = `http://127.0.0.1:${port}/`
  state.close = () => server.close()
  return state
}

/** @param {() => boolean} is */
async function until(is) {
  while (!is()) await pause(10)
}

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('rows are handed on as they are stored, after an outage of the receiver, and before the stop', async () => {
  const to = await receiver()
  const toml = `[plugins.mine]\ntable = "m"\nurl = "${to.url}"\ninterval = "20ms"\nretry = "20ms"\n`
  const server = await bootServer(toml, { plugins: [plugin] })
  const state = () => server.core.components.list().find(({ component }) => component === 'receiver')?.state
  try {
    const write = (/** @type {string} */ payload) =>
      server.main.inject({ method: 'POST', url: '/v1/lineproto/write', payload })
    // Rows count from when the table is followed.
    for (let i = 0; to.rows.length === 0; i++) {
      await write(`m v=0 ${i}\n`)
      await pause(20)
    }
    to.isUp = false
    await write('m v=1 1000\nm v=2 2000\n')
    await until(() => state() === 'degraded')
    await write('m v=3 3000\n')
    to.isUp = true
    await until(() => to.rows.includes(3) && state() === 'ok')
    await write('m v=4 4000\n')
  } finally {
    await server.discard()
    to.close()
  }
  assert.deepEqual(
    to.rows.filter(v => v > 0),
    [1, 2, 3, 4]
  )
})

test('what the receiver does not take is told', async () => {
  const to = await receiver()
  to.isUp = false
  const toml = `[plugins.mine]\ntable = "m"\nurl = "${to.url}"\ninterval = "5ms"\nretry = "10ms"\ndrain = "50ms"\n`
  const server = await bootServer(toml, { plugins: [plugin] })
  const write = (/** @type {string} */ payload) =>
    server.main.inject({ method: 'POST', url: '/v1/lineproto/write', payload })
  for (let i = 0; to.refused === 0; i++) {
    await write(`m v=0 ${i}\n`)
    await pause(20)
  }
  /** @type {string[]} */
  const lines = []
  server.core.listenToLog(line => void lines.push(line))
  await server.discard()
  to.close()
  assert.match(lines.join(), /rows were not handed on/)
})
