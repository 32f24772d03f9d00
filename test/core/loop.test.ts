import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../core/index.ts'
import { type LoopWork, watchLoop } from '../../core/loop.ts'
import { createMetrics } from '../../core/metrics/metrics.ts'
import { onResume, Pace } from '../../core/pace.ts'
import { pause } from '../../core/timer.ts'
import { collect } from '../../core/workers/free.ts'

/** Holds the thread for so many milliseconds. */
function hold(milliseconds: number) {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function watch(t: { teardown(run: () => void): void }, threshold: number) {
  const lines: { facts: Record<string, unknown>; message: string }[] = []
  const metrics = createMetrics()
  const config = { event_loop_threshold: threshold }
  const warn = ((facts: Record<string, unknown>, message: string) => lines.push({ facts, message })) as never
  const loop = watchLoop(config, { warn }, metrics)
  loop.start()
  t.teardown(() => loop.close())
  /** The lines once the loop has come round. */
  const seen = async (many: number) => {
    while (lines.length < many) await pause(5)
    return lines
  }
  return { loop, metrics, config, lines, seen }
}

const work = (path: string): LoopWork => ({ facts: () => ({ plugin: 'x', path }) })

t.test('what holds the event loop before the watch has started is not measured', async t => {
  const lines: unknown[] = []
  const warn = ((facts: unknown) => lines.push(facts)) as never
  const loop = watchLoop({ event_loop_threshold: 1_000 }, { warn }, createMetrics())
  t.teardown(() => loop.close())
  hold(1_200)
  loop.start()
  await pause(50)
  t.strictSame(lines, [])
})

t.test('the request that held the event loop is logged and counted, among others', async t => {
  const { loop, metrics, seen } = watch(t, 100)
  loop.note(work('/before'))
  await setImmediate()
  loop.note(work('/short'))
  hold(5)
  loop.note(work('/long'))
  hold(300)
  loop.note(work('/after'))
  hold(5)
  const [line] = await seen(1)
  t.match(line, { message: 'the event loop was held', facts: { plugin: 'x', path: '/long' } })
  t.ok(Number(line!.facts['ms']) >= 200)
  t.ok(Number(line!.facts['work_ms']) >= 300)
  const samples = await metrics.samples()
  t.match(
    samples.find(({ name }) => name === 'svc_event_loop_held_total'),
    { labels: { plugin: 'x', path: '/long' }, value: 1 }
  )
  const count = samples.find(({ name }) => name === 'svc_event_loop_delay_seconds_count')
  t.ok(count!.value > 0)
})

t.test('the log says how much of the time was garbage collection and how much was waiting for a processor', async t => {
  const { seen } = watch(t, 100)
  await pause(50)
  const end = performance.now() + 300
  let collections = 0
  for (; performance.now() < end; collections++) collect('major')
  const [line] = await seen(1)
  const { ms, gc_ms, queued_ms, processor_ms } = line!.facts as Record<string, number>
  t.ok(collections > 0 && gc_ms! > 100 && gc_ms! <= ms! + 30, `${gc_ms} of ${ms} ms`)
  t.ok(queued_ms! >= 0 && processor_ms! + queued_ms! <= ms! + 60, `${processor_ms} + ${queued_ms} of ${ms} ms`)
})

t.test('what runs after the callback of a request is not charged to it', async t => {
  const { loop, seen } = watch(t, 100)
  loop.note(work('/waits'))
  await setImmediate()
  hold(300)
  const [line] = await seen(1)
  t.match(line, { message: 'the event loop was held' })
  t.equal(line!.facts['path'], undefined)
})

t.test('work within the callback of a request, and in its promises, is charged to it', async t => {
  const { loop, seen } = watch(t, 100)
  await setImmediate()
  loop.note(work('/promises'))
  for (let i = 0; i < 5; i++) await Promise.resolve()
  hold(300)
  const [line] = await seen(1)
  t.match(line, { facts: { path: '/promises' } })
})

t.test('paced work that goes on after a pause is charged to whoever it is for', async t => {
  const { loop, seen } = watch(t, 100)
  const paced = (path: string) => {
    const { signal } = new AbortController()
    onResume(signal, () => loop.note(work(path)))
    return new Pace({ signal })
  }
  const [held, other] = [paced('/held'), paced('/other')]
  const both = [held.pause().then(() => hold(300)), other.pause().then(() => hold(5))]
  loop.note(work('/last'))
  await Promise.all(both)
  const [line] = await seen(1)
  t.match(line, { facts: { path: '/held' } })
})

t.test('time that many requests held together is charged to none', async t => {
  // Each of them is far below the threshold, on a busy machine, too.
  const { loop, seen } = watch(t, 400)
  for (let i = 0; i < 60; i++) {
    loop.note(work(`/${i}`))
    hold(10)
  }
  const [line] = await seen(1)
  t.equal(line!.facts['path'], undefined)
  t.ok(Number(line!.facts['ms']) >= 400)
})

t.test('a threshold of 0 logs nothing, the delay is measured all the same', async t => {
  const { loop, metrics, lines } = watch(t, 0)
  loop.note(work('/long'))
  hold(300)
  const late = async () => {
    const samples = await metrics.samples()
    return samples.find(({ name }) => name === 'svc_event_loop_delay_seconds_sum')!.value
  }
  while ((await late()) < 0.2) await pause(5)
  t.strictSame(lines, [])
})

t.test('a request that holds the loop of a server is named with route, method and user', async t => {
  const { startServer } = await import('../helpers.ts')
  const slow = definePlugin({
    name: 'slow',
    prefix: '/v1/slow',
    servers: ['main'],
    config: Type.Object({}),
    routes: app => {
      app.get('/:what', async () => {
        hold(400)
        return 'done'
      })
    }
  })
  const { core, main } = await startServer(t, '', { plugins: [slow] })
  const line = new Promise<Record<string, unknown>>(resolve => {
    const stop = core.listenToLog(json => {
      const read = JSON.parse(json)
      if (read.msg !== 'the event loop was held' || read.path !== '/v1/slow/:what') return
      stop()
      resolve(read)
    })
  })
  await main.inject({ url: '/v1/slow/thing' })
  t.match(await line, { plugin: 'slow', method: 'GET', ms: Number })
})
