import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin, type Rehearsal, type RequestContext } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

/** A plugin that notes who asks it, and what ends with its rehearsals. */
function notingPlugin(rehearsals: (path: string) => readonly Rehearsal[]) {
  const asked: Pick<RequestContext, 'channel' | 'user'>[] = []
  const plugin = definePlugin({
    name: 'noting',
    prefix: '/v1/noting',
    servers: ['main', 'public'],
    config: Type.Object({}),
    routes(app) {
      app.get('', async ({ ctx }) => {
        asked.push(ctx)
        return { text: 'é'.repeat(50_000) }
      })
      app.get('/long', async (_request, reply) => reply.send(Readable.from(['in ', 'pieces'])))
    },
    rehearse: () => rehearsals('/v1/noting')
  })
  return { plugin, asked }
}

const now = Promise.resolve()

/** Waits until something holds. */
async function until(holds: () => boolean) {
  for (let i = 0; i < 200 && !holds(); i++) await sleep(20)
}

t.test('a server asks itself what plugins rehearse, without user, limit and count', async t => {
  const { plugin, asked } = notingPlugin(path => [
    { ready: now, time: 1_000, path: turn => (turn < 5 ? `${path}?turn=${turn}` : undefined) }
  ])
  const toml = `user_provider = "static_user_provider:cmd:alice=secret"
[http.rate_limit]
per_address = 1`
  const server = await startServer(t, toml, { plugins: [plugin] })
  await until(() => asked.length === 5)
  await sleep(50)
  t.strictSame(
    asked.map(({ channel }) => channel),
    Array(5).fill('internal')
  )
  const answer = await fetch(`${server.addresses.main}/v1/noting`)
  t.equal(answer.status, 401, 'a stranger is still nobody')
  const metrics = await (await fetch(`${server.addresses.main}/metrics`)).text()
  t.match(metrics, /requests_total\{.*path="\/v1\/noting",.*code="401"\} 1\n/)
  t.notMatch(metrics, /path="\/v1\/noting",.*code="200"/)
})

t.test('an answer that is no success, or too long to be whole, ends a rehearsal', async t => {
  const turns: string[] = []
  const rehearsal = (name: string, path: string): Rehearsal => ({
    ready: now,
    time: 1_000,
    path(turn) {
      turns.push(`${name} ${turn}`)
      return path
    }
  })
  const { plugin } = notingPlugin(path => [rehearsal('missing', `${path}/none`), rehearsal('long', `${path}/long`)])
  await startServer(t, '', { plugins: [plugin] })
  await until(() => turns.length === 2)
  await sleep(400)
  t.strictSame(turns.toSorted(), ['long 0', 'missing 0'])
})

t.test('a server that stops waits for no rehearsal', async t => {
  const { plugin, asked } = notingPlugin(path => [
    { ready: new Promise<void>(() => {}), time: 60_000, path: () => path },
    { ready: now, time: 60_000, path: () => path }
  ])
  const server = await startServer(t, '', { plugins: [plugin] })
  await until(() => asked.length > 0)
  const began = performance.now()
  await server.close()
  t.ok(performance.now() - began < 1_000)
})
