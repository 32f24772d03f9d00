import t from 'tap'
import { createAcks } from '../../../plugins/eventcollector/acks.ts'
import { serve } from './serve.ts'

const channel = 'FE0ECFAD-13D5-401B-847D-77833BD77131'
const other = 'fe0ecfad13d5401b847d77833bd77132'
const event = '{"event":"x"}'

t.test('answers are numbered by channel, and what was answered is acknowledged', async t => {
  const { send } = await serve(t, '[plugins.eventcollector]\nacknowledge = true')
  const headers = { 'x-splunk-request-channel': channel }
  t.match(await send('/event', event, headers), { status: 200, body: { text: 'Success', code: 0, ackId: 0 } })
  t.match(await send(`/raw?channel=${channel}`, 'x'), { status: 200, body: { ackId: 1 } })
  t.match(await send(`/event?channel=${other}`, event), { status: 200, body: { ackId: 0 } })
  t.same((await send(`/ack?channel=${channel}`, '{"acks":[0,1,2]}')).body, { acks: { 0: true, 1: true, 2: false } })
  t.same((await send('/ack', '{"acks":[]}', headers)).body, { acks: {} })
  t.match(await send('/event', event), { status: 400, body: { text: 'Data channel is missing', code: 10 } })
  t.match(await send('/event?channel=mine', event), { status: 400, body: { text: 'Invalid data channel', code: 11 } })
  t.match(await send('/ack', '{"acks":[0]}'), { status: 400, body: { code: 10 } })
  for (const body of ['', '[]', '{', '{"acks":0}', '{"acks":["0"]}'])
    t.match(await send('/ack', body, headers), { status: 400, body: { code: 6 } }, body)
  t.match(await send('/event', '{"event":null}', headers), { status: 400, body: { code: 13 } }, 'nothing is numbered')
  t.match(await send('/event', event, headers), { status: 200, body: { ackId: 2 } })
})

t.test('without acknowledgements channels do not matter and nobody may ask', async t => {
  const { send } = await serve(t)
  t.same((await send('/event?channel=mine', event)).body, { text: 'Success', code: 0 })
  t.match(await send('/ack', '{"acks":[0]}'), { status: 400, body: { text: 'ACK is disabled', code: 14 } })
})

t.test('so many channels are remembered', async t => {
  const acks = createAcks(2)
  t.same([acks.next('a'), acks.next('b'), acks.next('a'), acks.next('c')], [0, 0, 1, 0])
  t.same(
    [acks.isDone('a', 1), acks.isDone('b', 0), acks.isDone('c', 0), acks.isDone('c', -1)],
    [true, false, true, false]
  )
})
