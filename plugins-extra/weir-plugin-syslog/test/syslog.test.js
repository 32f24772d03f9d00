import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseZone } from 'weir-server'
import { bootServer, pluginContract } from 'weir-server/testing'
import { columnsOf } from '../columns.js'
import { createFrames } from '../frame.js'
import plugin from '../index.js'
import { parseMessage } from '../message.js'

const now = BigInt(Date.UTC(2026, 0, 2, 3, 4, 5)) * 1_000_000n

/** @param {string} text */
const parse = text => parseMessage(Buffer.from(text), now, parseZone('UTC') ?? assert.fail())

test('what every plugin must do', async t => {
  const good = '<13>1 2026-01-02T03:04:05Z web shop 77 - - paid'
  await pluginContract(t, {
    plugin,
    options: 'max_message = "480B"',
    listeners: [
      { name: 'tcp', transport: 'tcp', good: `${good}\n`, bad: `${'x'.repeat(1000)}\n` },
      { name: 'udp', transport: 'udp', good }
    ]
  })
})

test('a stream becomes messages', () => {
  const frames = createFrames(10)
  /** @param {string} text */
  const push = text => frames.push(Buffer.from(text)).map(String)
  assert.deepEqual(push('5 hello3 a'), ['hello'])
  assert.deepEqual(push('bc<13>x\n<13>'), ['abc', '<13>x'])
  assert.deepEqual(push('much too long\n2 ok'), ['ok'])
  assert.equal(frames.drainSkipped(), 1)
  assert.equal(frames.drainSkipped(), 0)
  assert.deepEqual(push('<13>end'), [])
  assert.deepEqual(frames.end().map(String), ['<13>end'])
  assert.throws(() => push('5hello'), /expected the length of a message/)
})

test('a message of each format becomes its parts', () => {
  const data = [{ id: 'order@1', name: 'id', value: '7' }]
  assert.deepEqual(parse('<165>1 2026-01-02T03:04:05.5Z web shop 77 PAY [order@1 id="7"] paid'), {
    ...{ facility: 'local4', severity: 'notice', time: now + 500_000_000n, data },
    ...{ host: 'web', app: 'shop', process: '77', id: 'PAY', message: 'paid' }
  })
  assert.deepEqual(parse('<27>Jan  2 03:04:05 web shop[77]: late'), {
    ...{ facility: 'daemon', severity: 'err', time: now, data: [] },
    ...{ host: 'web', app: 'shop', process: '77', message: 'late' }
  })
  assert.deepEqual(parse('no header'), {
    facility: 'user',
    severity: 'notice',
    time: now,
    data: [],
    message: 'no header'
  })
})

test('messages become columns, structured data as far as there is room', () => {
  const messages = [parse('<13>1 - - - - - [a b="1" c="2"] x'), parse('<13>y')]
  /** @param {number} max_columns */
  const namesOf = max_columns =>
    columnsOf(messages, { structured_columns: true, max_columns }, undefined)
      .slice(9)
      .map(({ name, type }) => `${name} ${type}`)
  assert.deepEqual(namesOf(100), ['sd_a_b String', 'sd_a_c String'])
  assert.deepEqual(namesOf(11), ['sd_a_b String', 'structured_data Json'])
})

test('messages over TCP and UDP are stored', async () => {
  const toml = '[plugins.syslog.tcp]\naddr = "127.0.0.1:0"\n[plugins.syslog.udp]\naddr = "127.0.0.1:0"\n'
  const server = await bootServer(toml, { plugins: [plugin] })
  try {
    const { port } = server.listeners.get('syslog.tcp') ?? assert.fail()
    const socket = connect(port, '127.0.0.1')
    const closed = once(socket.resume(), 'close')
    socket.end('14 <27>shop: late<13>shop: open')
    await closed
    const sender = createSocket('udp4')
    sender.send('<13>shop: shut', server.listeners.get('syslog.udp')?.port, '127.0.0.1', () => sender.close())
    for (let i = 0; i < 100; i++) {
      const answer = await server.main.inject('/v1/sql?sql=SELECT severity, message FROM syslog ORDER BY message')
      const rows = answer.json().output?.[0].records.rows ?? []
      if (rows.length < 3) await pause(50)
      else
        return assert.deepEqual(rows, [
          ['err', 'late'],
          ['notice', 'open'],
          ['notice', 'shut']
        ])
    }
    assert.fail('the messages are not there')
  } finally {
    await server.discard()
  }
})
