import t from 'tap'
import { serve } from './serve.ts'

const users = 'user_provider = "static_user_provider:cmd:alice=pw,röb=p:w ü,reader:ro=r"\n'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
/** As it goes over the wire. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const event = '{"event":"x"}'

t.test('a token is user and password, plain, in base64, or in the header that wins', async t => {
  const { send } = await serve(t, users)
  const taken: Record<string, string>[] = [
    { authorization: 'Splunk alice:pw' },
    { authorization: 'splunk alice:pw' },
    { authorization: utf8('Splunk röb:p:w ü') },
    { authorization: basic('alice:pw') },
    { 'x-svc-auth': basic('alice:pw') },
    { 'x-svc-auth': basic('alice:pw'), authorization: 'Splunk no:body' }
  ]
  for (const headers of taken) {
    t.match(await send('/event', event, headers), { status: 200, body: { code: 0 } }, JSON.stringify(headers))
    t.equal((await send('/raw', 'x', headers)).status, 200)
  }
})

t.test('a missing and a wrong token have the protocol’s error numbers', async t => {
  const { send, core } = await serve(t, users)
  const required = { status: 401, body: { text: 'Token is required', code: 2 } }
  const invalid = { status: 403, body: { text: 'Invalid token', code: 4 } }
  t.match(await send('/event', event), required)
  t.match(await send('/raw', 'x'), required)
  t.match(await send('/ack', '{}'), required)
  const refused = [
    'Splunk alice:no',
    'Splunk nobody:pw',
    'Splunk alice',
    'Splunk ',
    'Splunk',
    basic('alice:no'),
    basic('alice'),
    'Basic ???',
    'Bearer abc',
    'Digest x'
  ]
  for (const authorization of refused) t.match(await send('/event', event, { authorization }), invalid, authorization)
  t.match(await send('/event', event, { 'x-svc-auth': basic('alice:no'), authorization: 'Splunk alice:pw' }), invalid)
  const reader = await send('/event', event, { authorization: 'Splunk reader:r' })
  t.match(reader, { ...invalid, body: { ...invalid.body, error: /not authorized/ } })
  t.equal(core.store.table('public', 'eventcollector_logs'), undefined)
  t.match(await core.metrics.expose(), /svc_servers_auth_failure_count\{code="UserPasswordMismatch"\} \d/)
})

t.test('a token in the query counts only where that is switched on', async t => {
  const closed = await serve(t, users)
  const text = 'Query string authorization is not enabled'
  t.match(await closed.send('/event?token=alice:pw', event), { status: 400, body: { text, code: 16 } })
  const open = await serve(t, `${users}[plugins.eventcollector]\nquery_token = true`)
  t.match(await open.send('/event?token=alice:pw', event), { status: 200 })
  t.match(await open.send('/event?token=alice:no', event), { status: 403, body: { code: 4 } })
  t.match(await open.send('/event', event), { status: 401, body: { code: 2 } })
})

t.test('without users everybody may send', async t => {
  const { send } = await serve(t)
  t.equal((await send('/event', event, { authorization: 'Splunk whatever' })).status, 200)
})
