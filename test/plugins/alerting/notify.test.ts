// The notifications that receivers get, and that no other receiver gets any.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fingerprint } from '../../../plugins/alerting/notify/message.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { serveRules } from './serve.ts'

t.test('fingerprints are 64 bits of FNV-1a over the labels', async t => {
  const plain = (labels: readonly (readonly [string, string])[]) => {
    let hash = 0xcbf29ce484222325n
    const bytes = labels.flatMap(([name, value]) => [...Buffer.from(name), 0xff, ...Buffer.from(value), 0xff])
    for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
    return hash.toString(16).padStart(16, '0')
  }
  t.equal(fingerprint({ labels: [] }), 'cbf29ce484222325')
  for (let i = 0; i < 200; i++) {
    const labels = [
      ['alertname', `A${i}`],
      ['größe', '☃'.repeat(i % 7)],
      ['instance', `host-${i * 7919}.example:9100`]
    ] as const
    t.equal(fingerprint({ labels }), plain(labels))
  }
})

t.test('addresses of webhooks and passwords are not shown', async t => {
  const options = 'webhooks = ["http://127.0.0.1:1/hook-token"]\nalertmanagers = ["http://me:secret@127.0.0.1:1"]'
  const { main } = await serveRules(t, 'groups: []', options)
  const { body } = await main.inject('/config')
  t.match(body, 'webhooks = ')
  t.notMatch(body, /hook-token|secret@|:secret/)
  t.match(body, '127.0.0.1:1')
})

t.test('users who are limited to databases see the rules of those alone', async t => {
  const file = join(temporaryFolder(t), 'rules.yml')
  writeFileSync(
    file,
    'groups:\n- {name: one, rules: [{alert: A, expr: up}]}\n- {name: two, db: a, rules: [{alert: B, expr: up}]}\n'
  )
  const users = 'user_provider = "static_user_provider:cmd:root=r,ann:ro@a=a,writer:wo=w"'
  const { main } = await startServer(t, `${users}\n[plugins.alerting]\nrule_files = ["${file}"]`)
  const ask = async (user: string, path: string) => {
    const reply = await main.inject({ url: `/v1${path}`, headers: { authorization: `Basic ${btoa(user)}` } })
    const groups: { name: string }[] = reply.json().groups ?? reply.json().data?.groups ?? []
    return reply.statusCode === 200 ? groups.map(({ name }) => name) : reply.statusCode
  }
  t.strictSame(await ask('root:r', '/alerting/rules'), ['one', 'two'])
  t.strictSame(await ask('root:r', '/alerting/rules?db=a'), ['two'])
  t.strictSame(await ask('ann:a', '/alerting/rules'), 403)
  t.strictSame(await ask('ann:a', '/alerting/rules?db=public'), 403)
  t.strictSame(await ask('ann:a', '/alerting/rules?db=a'), ['two'])
  t.strictSame(await ask('ann:a', '/metricsys/api/v1/rules?db=a'), ['two'])
  t.strictSame(await ask('ann:a', '/metricsys/api/v1/rules?db=public'), 403)
  t.strictSame(await ask('writer:w', '/alerting/rules'), 403)
  t.strictSame(await ask('root:r', '/metricsys/api/v1/rules'), ['one'])
})
