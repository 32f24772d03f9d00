import { mock } from 'node:test'
import t from 'tap'
import { after, every, pause } from '../../core/timer.ts'

const day = 86_400_000

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

/** A step of the clock as long as a timer of the runtime may be, as often as it takes. */
function pass(milliseconds: number): void {
  for (let rest = milliseconds; rest > 0; rest -= day) mock.timers.tick(Math.min(rest, day))
}

t.test('something runs once, after years too', async t => {
  for (const days of [0.01, 24, 25, 60, 3653]) {
    let runs = 0
    after(days * day, () => runs++)
    pass(days * day - 1)
    t.equal(runs, 0, `${days} days have not passed`)
    pass(1)
    t.equal(runs, 1)
    pass(100 * day)
    t.equal(runs, 1)
  }
})

t.test('something runs every so many days, until it is stopped', async t => {
  let runs = 0
  const timer = every(30 * day, () => {
    if (++runs === 3) timer.stop()
  })
  pass(30 * day - 1)
  t.equal(runs, 0)
  pass(1)
  t.equal(runs, 1)
  pass(60 * day)
  t.equal(runs, 3)
  pass(90 * day)
  t.equal(runs, 3)
})

t.test('a long timer stops in each of its parts', async t => {
  for (const days of [1, 26, 51]) {
    let runs = 0
    const timer = after(60 * day, () => runs++)
    pass(days * day)
    timer.stop()
    pass(100 * day)
    t.equal(runs, 0)
  }
})

t.test('a pause ends with its signal', async t => {
  const controller = new AbortController()
  const paused = pause(60 * day, { signal: controller.signal })
  pass(30 * day)
  controller.abort(new Error('enough'))
  await t.rejects(paused, { message: 'enough' })
  await t.rejects(pause(1, { signal: controller.signal }), { message: 'enough' })
  const whole = pause(60 * day)
  pass(60 * day)
  await whole
})
