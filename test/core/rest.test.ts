import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { runAtRest } from '../../core/rest.ts'

/** Keeps the event loop busy. */
const spin = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

t.test('pieces run in slices, each after a rest, until their time is spent', async t => {
  const { signal } = new AbortController()
  const turns: number[] = []
  const began = performance.now()
  const ran = await runAtRest({
    rest: 20,
    time: 250,
    signal,
    run(turn) {
      turns.push(turn)
      spin(10)
    }
  })
  t.ok(performance.now() - began >= 250 + 3 * 20)
  t.ok(ran > 0 && ran <= 25)
  t.strictSame(
    turns,
    Array.from({ length: ran }, (_, turn) => turn)
  )
  t.equal(await runAtRest({ rest: 10, time: 0, signal, run: () => t.fail('ran') }), 0, 'none without time')
})

t.test('others have their turn between two pieces', async t => {
  const { signal } = new AbortController()
  let others = 0
  const running = runAtRest({
    rest: 10,
    time: 30,
    signal,
    run(turn) {
      if (turn > 0) t.ok(others > 0)
      others = 0
      global.setImmediate(() => others++)
      spin(5)
    }
  })
  t.ok((await running) > 1)
})

t.test('pieces end early when nothing is left, and with what one throws', async t => {
  const { signal } = new AbortController()
  const few = await runAtRest({ rest: 10, time: 60_000, signal, run: async turn => turn < 3 })
  t.equal(few, 3)
  const failing = runAtRest({
    rest: 10,
    time: 60_000,
    signal,
    async run() {
      throw new Error('no')
    }
  })
  await t.rejects(failing, { message: 'no' })
})

t.test('a signal ends the wait and the work', async t => {
  const controller = new AbortController()
  const { signal } = controller
  const before = runAtRest({ rest: 60_000, time: 100, signal, run: () => t.fail('ran') })
  const during = runAtRest({ rest: 10, time: 60_000, signal, run: () => spin(1) })
  setTimeout(() => controller.abort(), 50)
  t.equal(await before, 0)
  t.ok((await during) > 0)
})

t.test('a process that is busy is left alone', async t => {
  const controller = new AbortController()
  const running = runAtRest({ rest: 20, time: 100, signal: controller.signal, run: () => t.fail('ran') })
  for (const end = performance.now() + 200; performance.now() < end; await setImmediate()) spin(5)
  controller.abort()
  t.equal(await running, 0)
})
