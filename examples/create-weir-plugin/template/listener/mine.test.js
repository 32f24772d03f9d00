import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, {
    plugin,
    listeners: [
      { name: 'tcp', transport: 'tcp', good: 'door 1\n', bad: 'door\n' },
      { name: 'udp', transport: 'udp', good: 'door 1', bad: 'door' }
    ]
  })
})

test('lines over TCP and UDP are stored', async () => {
  const toml = '[plugins.mine.tcp]\naddr = "127.0.0.1:0"\n[plugins.mine.udp]\naddr = "127.0.0.1:0"\n'
  const server = await bootServer(toml, { plugins: [plugin] })
  try {
    const { port } = server.listeners.get('mine.tcp') ?? assert.fail()
    const socket = connect(port, '127.0.0.1')
    const closed = once(socket.resume(), 'close')
    socket.write('door 1\ndo')
    socket.end('or 2')
    await closed
    const sender = createSocket('udp4')
    sender.send('window 3', server.listeners.get('mine.udp')?.port, '127.0.0.1', () => sender.close())
    for (let i = 0; i < 100; i++) {
      const answer = await server.main.inject('/v1/sql?sql=SELECT sum(value) FROM readings')
      if (answer.json().output?.[0].records.rows[0][0] === 6) return
      await pause(50)
    }
    assert.fail('the lines are not there')
  } finally {
    await server.discard()
  }
})
