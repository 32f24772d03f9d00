import { constants, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import pino from 'pino'
import t, { type Test } from 'tap'
import type { Steps } from '../../../core/pace.ts'
import { readLog } from '../../../core/storage/embedded/log/segment.ts'
import { type WalOptions, WriteAheadLog } from '../../../core/storage/embedded/log/wal.ts'
import { eventually } from '../../eventually.ts'
import { temporaryFolder } from './fixtures.ts'

const log = pino({ level: 'silent' })

interface Opened {
  readonly wal: WriteAheadLog
  readonly dir: string
  syncs: number
}

async function open(t: Test, settings: Partial<WalOptions> = {}, onFailure = () => {}): Promise<Opened> {
  const dir = settings.dir ?? join(temporaryFolder(t), 'wal')
  mkdirSync(dir, { recursive: true })
  const found = await readLog(dir, log, async () => {})
  const opened = { dir, syncs: 0 } as Opened & { wal: WriteAheadLog }
  const metrics = {
    bytes: { add: () => {} },
    syncSeconds: {
      observe: () => {
        opened.syncs++
      }
    }
  }
  const options = {
    dir,
    sync: 'always',
    syncInterval: 20,
    segmentSize: 2 ** 20,
    namesDurable: async () => {},
    remember: async () => {},
    rememberEnd: async () => {},
    ...settings
  } as const
  opened.wal = new WriteAheadLog(options, log, metrics, found, onFailure)
  await opened.wal.start()
  t.teardown(() => opened.wal.close())
  return opened
}

/** Applies a record in a single step. */
const once = (apply: (seq: number) => unknown) =>
  function* (seq: number): Steps<void> {
    apply(seq)
    yield
  }
const nothing = once(() => {})

const payload = (text: string) => [Buffer.from(text)]

async function contents(dir: string): Promise<[number, string][]> {
  const records: [number, string][] = []
  await readLog(dir, log, async (seq, bytes) => void records.push([seq, Buffer.from(bytes).toString()]))
  return records
}

t.test('records come back in order with the numbers of their first rows', async t => {
  const { wal, dir } = await open(t)
  const applied: number[] = []
  await Promise.all(
    ['a', 'b', 'c'].map((text, i) =>
      wal.append(
        i + 1,
        payload(text),
        once(seq => applied.push(seq))
      )
    )
  )
  const first = applied[0]!
  t.same(applied, [first, first + 1, first + 3])
  t.same(await contents(dir), [
    [first, 'a'],
    [first + 1, 'b'],
    [first + 3, 'c']
  ])
  t.equal(wal.nextSeq, first + 6)
})

t.test('concurrent writers share a sync', async t => {
  const opened = await open(t)
  const before = opened.syncs
  await Promise.all(Array.from({ length: 100 }, (_, i) => opened.wal.append(1, payload(`record ${i}`), nothing)))
  t.ok(opened.syncs - before < 20, `${opened.syncs - before} syncs for 100 records`)
})

t.test('a record is on the disk before its writer hears of it', { skip: platform !== 'linux' }, async t => {
  /** Whether the open segment is written so that no write returns before it is synced. */
  const isSynced = (dir: string) => {
    const fd = readdirSync('/proc/self/fd').find(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir)
      } catch {
        return false
      }
    })
    const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))![1]!
    return (Number.parseInt(flags, 8) & constants.O_DSYNC) !== 0
  }
  const opened = await open(t)
  const before = opened.syncs
  await opened.wal.append(
    1,
    payload('x'),
    once(() => t.equal(opened.syncs, before + 1))
  )
  t.ok(isSynced(opened.dir))
  await opened.wal.flush()
  t.equal(opened.syncs, before + 1, 'there was nothing more to sync')
  t.notOk(isSynced((await open(t, { sync: 'interval' })).dir))
})

t.test('interval syncs now and then, none only when asked', async t => {
  const interval = await open(t, { sync: 'interval' })
  await interval.wal.append(1, payload('x'), nothing)
  const before = interval.syncs
  await eventually(() => interval.syncs > before)
  await new Promise(resolve => setTimeout(resolve, 100))
  t.equal(interval.syncs, before + 1, 'once: there was nothing more to sync')
  const none = await open(t, { sync: 'none' })
  await none.wal.append(1, payload('x'), nothing)
  const unsynced = none.syncs
  await none.wal.flush()
  t.equal(none.syncs, unsynced + 1)
  await none.wal.flush()
  t.equal(none.syncs, unsynced + 1, 'nothing to do twice')
})

t.test('segments are dropped when everything in them is below a number', async t => {
  const { wal, dir } = await open(t, { segmentSize: 100 })
  const seqs: number[] = []
  for (let i = 0; i < 6; i++)
    await wal.append(
      1,
      payload('x'.repeat(100)),
      once(seq => seqs.push(seq))
    )
  t.equal(readdirSync(dir).length, 6)
  await wal.dropBefore(seqs[3]!)
  t.same(
    (await contents(dir)).map(([seq]) => seq),
    seqs.slice(3)
  )
  await wal.dropBefore(wal.nextSeq)
  t.same(await contents(dir), [], 'the open one, too: a new one is begun')
  t.equal(readdirSync(dir).length, 1)
})

t.test('records that come while an open segment is replaced are in the next one', async t => {
  const { wal, dir } = await open(t, { segmentSize: 1000 })
  const seqs: number[] = []
  const append = () =>
    wal.append(
      1,
      payload('x'.repeat(100)),
      once(seq => seqs.push(seq))
    )
  await append()
  const dropped = wal.dropBefore(wal.nextSeq)
  await Promise.all([append(), append(), dropped])
  t.same(
    (await contents(dir)).map(([seq]) => seq),
    seqs.slice(1)
  )
  await append()
  await wal.dropBefore(seqs.at(-1)!)
  t.same((await contents(dir)).length, 3, 'a row of the open segment is needed')
  t.equal(readdirSync(dir).length, 1)
})

t.test('an open segment of a few records stays', async t => {
  const { wal, dir } = await open(t, { segmentSize: 2 ** 20 })
  await wal.append(1, payload('x'), nothing)
  await wal.dropBefore(wal.nextSeq)
  t.equal((await contents(dir)).length, 1, 'a new segment costs more than it frees')
})

t.test('a log whose open segment cannot be replaced goes on with it', async t => {
  const { wal, dir } = await open(t, { segmentSize: 1000 })
  await wal.append(1, payload('x'.repeat(100)), nothing)
  process.env['WEIR_FAULT'] = 'wal.create=ENOSPC'
  await wal.dropBefore(wal.nextSeq)
  delete process.env['WEIR_FAULT']
  await wal.append(1, payload('y'), nothing)
  t.same(
    (await contents(dir)).map(([, text]) => text.at(-1)),
    ['x', 'y']
  )
})

t.test('records that take long to apply are applied in order, and other work runs between them', async t => {
  const { wal } = await open(t)
  const events: string[] = []
  const apply = (name: string) =>
    once(() => {
      const end = performance.now() + 6
      while (performance.now() < end);
      events.push(name)
    })
  const names = Array.from({ length: 12 }, (_, i) => String(i))
  const all = Promise.all(names.map(name => wal.append(1, payload(name), apply(name))))
  let isDone = false
  void all.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    if (events.length > 0 && events.at(-1) !== 'other') events.push('other')
  }
  t.same(
    events.filter(event => event !== 'other'),
    names
  )
  t.ok(events.indexOf('other') < events.indexOf('6'), events.join(' '))
})

t.test('other work runs between the steps of one record', async t => {
  const { wal } = await open(t)
  let steps = 0
  const seen = new Set<number>()
  const appended = wal.append(1, payload('long'), function* () {
    for (; steps < 12; steps++) {
      const end = performance.now() + 6
      while (performance.now() < end);
      yield
    }
  })
  let isDone = false
  void appended.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    seen.add(steps)
  }
  t.equal(steps, 12)
  t.ok(seen.size > 4, `seen after ${[...seen]}`)
})

t.test('a writer whose record was refused hears why, and numbers go on', async t => {
  const { wal } = await open(t)
  const apply = once(() => {
    throw new Error('cannot be applied')
  })
  const broken = wal.append(1, [Buffer.from('fine')], apply)
  await t.rejects(broken, { message: 'cannot be applied' })
  await wal.append(1, payload('next'), nothing)
})

t.test('records under way count until they are answered', async t => {
  const { wal } = await open(t)
  const appended = [wal.append(1, payload('four'), nothing), wal.append(1, payload('more'), nothing)]
  t.equal(wal.pendingBytes, 8)
  await Promise.all(appended)
  t.equal(wal.pendingBytes, 0)
  const fails = once(() => {
    throw new Error('not taken')
  })
  await t.rejects(wal.append(1, payload('late'), fails), { message: 'not taken' })
  t.equal(wal.pendingBytes, 0, 'refused ones, too')
})

/** Lets calls of the system fail until the test's end, or until it is told to stop. */
function fail(t: Test, fault: string): () => void {
  const stop = () => {
    delete process.env.WEIR_FAULT
  }
  process.env.WEIR_FAULT = fault
  t.teardown(stop)
  return stop
}

const texts = async (dir: string) => (await contents(dir)).map(([, text]) => text)
const store = (wal: WriteAheadLog, text: string) => wal.append(1, payload(text), nothing)

for (const fault of ['wal.create=EMFILE', 'wal.header=ENOSPC'])
  t.test(`records are refused while no segment can be begun, and taken afterwards (${fault})`, async t => {
    const { wal, dir } = await open(t, { segmentSize: 100 })
    const long = 'x'.repeat(100)
    await store(wal, long)
    const mend = fail(t, fault)
    for (const text of ['lost', 'also lost'])
      await t.rejects(store(wal, text), { code: 'StorageUnavailable', retryAfter: 5 })
    await wal.flush()
    mend()
    t.equal(wal.trouble, undefined)
    await store(wal, 'next')
    t.same(await texts(dir), [long, 'next'])
    t.equal(readdirSync(dir).length, 2)
  })

t.test('a segment that the catalog could not note takes no record before it can', async t => {
  const noted: number[] = []
  let refuses = false
  const remember: WalOptions['remember'] = async (which, segment) => {
    if (refuses) throw new Error('no room')
    if (which === 'last') noted.push(segment)
  }
  const { wal, dir } = await open(t, { segmentSize: 100, remember })
  const long = 'x'.repeat(100)
  await store(wal, long)
  refuses = true
  for (const text of ['lost', 'also lost']) await t.rejects(store(wal, text), { message: /no room/ })
  refuses = false
  await store(wal, 'next')
  t.same(noted, [1, 2])
  t.same(await texts(dir), [long, 'next'])
})

t.test('a write that found no room is cut off, and the next one is taken', async t => {
  for (const sync of ['always', 'interval'] as const) {
    const { wal, dir } = await open(t, { sync })
    await store(wal, 'first')
    const mend = fail(t, 'wal.write=ENOSPC')
    await t.rejects(store(wal, 'lost'), { code: 'StorageUnavailable', retryAfter: 5, message: /ENOSPC/ })
    mend()
    await store(wal, 'next')
    t.same(await texts(dir), ['first', 'next'])
  }
})

for (const [sync, fault, reason] of [
  ['always', 'wal.write=EIO', /could not be synced.*EIO.*restart/],
  ['interval', 'wal.sync=EIO', /could not be synced.*EIO.*restart/],
  ['none', 'wal.sync=EIO', /could not be synced.*EIO.*restart/]
] as const)
  t.test(`a failed sync ends all writes until a restart, and the log closes (${sync}, ${fault})`, async t => {
    if (sync === 'always' && platform !== 'linux') return
    const { wal, dir } = await open(t, { sync, syncInterval: 1_000_000 })
    await store(wal, 'first')
    await wal.flush()
    const mend = fail(t, fault)
    const lost = store(wal, 'lost')
    if (sync === 'always') await t.rejects(lost, { message: reason })
    else {
      await lost
      await t.rejects(wal.flush(), { message: reason })
    }
    mend()
    await t.rejects(store(wal, 'later'), { code: 'StorageUnavailable', retryAfter: 30, message: reason })
    t.match(wal.trouble, reason)
    await wal.close()
    const stored = await texts(dir)
    t.equal(stored[0], 'first')
    t.notOk(stored.includes('later'))
  })

t.test('nothing is written behind the rest of a failed write that cannot be cut off', async t => {
  const { wal, dir } = await open(t)
  await store(wal, 'first')
  const mend = fail(t, 'wal.write=ENOSPC,wal.cut=EIO')
  const reason = /could not be cut after a failed write: EIO.*restart/
  await t.rejects(store(wal, 'lost'), { message: reason })
  mend()
  await t.rejects(store(wal, 'later'), { retryAfter: 30, message: reason })
  t.match(wal.trouble, reason)
  await wal.close()
  t.same(await texts(dir), ['first'])
})

t.test('the log closes also where the catalog takes nothing any more', async t => {
  const { wal, dir } = await open(t, { rememberEnd: () => Promise.reject(new Error('broken')) })
  await store(wal, 'first')
  await t.rejects(wal.rememberEnd(), { message: 'broken' })
  await wal.close()
  t.same(await texts(dir), ['first'])
})
