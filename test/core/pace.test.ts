import { type AddressInfo, connect, createServer } from 'node:net'
import t from 'tap'
import { beginWork, eachPaced, joinPaced, Pace, runAtOnce, runPaced, type Steps } from '../../core/pace.ts'

/** Keeps the processor busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

function* steps(count: number, log: string[], name: string): Steps<string> {
  try {
    for (let i = 0; i < count; i++) {
      work(3)
      log.push(name)
      yield
    }
    return name
  } finally {
    log.push(`${name} is over`)
  }
}

t.test('several pieces of work share the turns of the event loop', async t => {
  const log: string[] = []
  const pace = () => new Pace(new AbortController())
  let isOver = false
  const all = Promise.all(['a', 'b', 'c'].map(name => runPaced(pace(), steps(20, log, name))))
  void all.then(() => {
    isOver = true
  })
  let before = log.length
  let most = before
  while (!isOver) {
    await new Promise(resolve => setImmediate(resolve))
    most = Math.max(most, log.length - before)
    before = log.length
  }
  t.same(await all, ['a', 'b', 'c'])
  t.ok(most <= 10, `${most} steps of 3 ms in one turn of all three`)
  t.ok(log.indexOf('b') < log.indexOf('a is over'), 'they take turns')
})

t.test('work that had few turns goes before work that had many, which goes on all the same', async t => {
  const log: string[] = []
  const long = Array.from({ length: 20 }, (_, i) =>
    runPaced(new Pace(new AbortController()), steps(40, log, `long ${i}`))
  )
  const stepsOfLong = () => log.filter(name => name.startsWith('long') && !name.endsWith('over')).length
  // Each of them had three turns then, of at most four steps.
  while (stepsOfLong() < 260) await new Promise(resolve => setImmediate(resolve))
  for (let i = 0; i < 10; i++) {
    const before = stepsOfLong()
    await (i % 2 === 0 ? new Pace(new AbortController()) : new Pace()).pause()
    t.ok(stepsOfLong() - before <= 10, `${stepsOfLong() - before} steps of 3 ms before a short piece of work`)
  }
  const connection = new AbortController()
  for (let message = 0; message < 10; message++) {
    beginWork(connection.signal)
    const before = stepsOfLong()
    await new Pace(connection).pause()
    t.ok(
      stepsOfLong() - before <= 10,
      `${stepsOfLong() - before} steps of 3 ms before message ${message} of a connection`
    )
  }
  let isOver = false
  const stream = (async () => {
    while (!isOver) await new Pace(new AbortController()).pause()
  })()
  await Promise.all(long)
  isOver = true
  await stream
})

/** The turns of the tests above are over then. */
async function freshTurn(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise(resolve => setImmediate(resolve))
}

t.test('work whose signal fires ends, and lets go what it holds', async t => {
  await freshTurn()
  const log: string[] = []
  const stop = new AbortController()
  const running = runPaced(new Pace(stop), steps(1_000, log, 'a'))
  setImmediate(() => stop.abort(new Error('stopped')))
  await t.rejects(running, { message: 'stopped' })
  t.equal(log.at(-1), 'a is over')
  t.ok(log.length < 100)
})

t.test('work waits until there is memory for what its steps say they hold', async t => {
  const held: number[] = []
  let letOn = () => {}
  const memory = {
    hold(bytes: number) {
      held.push(bytes)
      return bytes < 3 ? undefined : new Promise<void>(resolve => (letOn = resolve))
    }
  }
  function* growing(): Steps<string> {
    for (let bytes = 1; bytes <= 3; bytes++) {
      yield bytes
      yield
    }
    return 'done'
  }
  let isDone = false
  const running = runPaced(new Pace({ memory }), growing()).finally(() => {
    isDone = true
  })
  await new Promise(resolve => setTimeout(resolve, 10))
  t.same([held, isDone], [[1, 2, 3], false])
  letOn()
  t.equal(await running, 'done')
  const refused = runPaced(new Pace({ memory: { hold: () => Promise.reject(new Error('no room')) } }), growing())
  await t.rejects(refused, { message: 'no room' })
})

t.test(
  'clients are let in while much work waits: a server accepts one connection in each round of the loop',
  async t => {
    const log: string[] = []
    let accepted = 0
    let stepsThen = Number.POSITIVE_INFINITY
    const server = createServer(socket => {
      if (++accepted === 40) stepsThen = log.length
      socket.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const all = Promise.all(['a', 'b', 'c'].map(name => runPaced(new Pace(), steps(40, log, name))))
    for (let i = 0; i < 40; i++) connect(port, '127.0.0.1').on('error', () => {})
    await all
    t.ok(stepsThen < 60, `all were accepted after ${stepsThen} of 120 steps`)
  }
)

t.test('steps can be taken at once', async t => {
  const log: string[] = []
  t.equal(runAtOnce(steps(3, log, 'a')), 'a')
  t.same(log, ['a', 'a', 'a', 'a is over'])
})

t.test('where no turn is under way, timers go before the next piece of work', async t => {
  await freshTurn()
  const { port1, port2 } = new MessageChannel()
  const log: string[] = []
  const arrived = new Promise(resolve => {
    port1.onmessage = resolve
  })
  port2.postMessage('a tree')
  await arrived
  setTimeout(() => log.push('timer'), 1)
  work(5)
  await new Pace(new AbortController()).pause()
  log.push('work')
  port1.close()
  t.same(log, ['timer', 'work'])
})

t.test('parts are joined in turns', async t => {
  const pace = new Pace(new AbortController())
  const lengths = [0, 1, 3 << 20, (1 << 20) + 7, 20 << 20]
  const parts = lengths.map((length, i) => Buffer.alloc(length, i))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  t.ok((await joinPaced(pace, parts, total)).equals(Buffer.concat(parts)))
  t.equal((await joinPaced(pace, [], 0)).length, 0)
  t.equal(await joinPaced(pace, [parts[2]!], lengths[2]!), parts[2], 'one alone is not copied')
})

t.test('quick items are passed together, and slow ones after them still let other work run', async t => {
  const items = [...Array<number>(1_000).fill(0), ...Array<number>(30).fill(6), ...Array<number>(1_000).fill(0)]
  const done: number[] = []
  let [rounds, isDone] = [0, false]
  const others = (async () => {
    for (; !isDone; rounds++) await new Promise(resolve => setImmediate(resolve))
  })()
  await eachPaced(new Pace(), items.entries(), ([index, length]) => {
    work(length)
    done.push(index)
  })
  isDone = true
  await others
  t.strictSame(done, [...items.keys()], 'each once, in order')
  t.ok(rounds > 10, `${rounds} rounds of the event loop in 180 ms of slow items`)
})
