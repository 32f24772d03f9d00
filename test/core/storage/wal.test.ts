import { constants, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import pino from 'pino'
import t, { type Test } from 'tap'
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

const payload = (text: string) => [Buffer.from(text)]

async function contents(dir: string): Promise<[number, string][]> {
  const records: [number, string][] = []
  await readLog(dir, log, async (seq, bytes) => void records.push([seq, Buffer.from(bytes).toString()]))
  return records
}

t.test('records come back in order with the numbers of their first rows', async t => {
  const { wal, dir } = await open(t)
  const applied: number[] = []
  await Promise.all(['a', 'b', 'c'].map((text, i) => wal.append(i + 1, payload(text), seq => applied.push(seq))))
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
  await Promise.all(Array.from({ length: 100 }, (_, i) => opened.wal.append(1, payload(`record ${i}`), () => {})))
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
  await opened.wal.append(1, payload('x'), () => t.equal(opened.syncs, before + 1))
  t.ok(isSynced(opened.dir))
  await opened.wal.flush()
  t.equal(opened.syncs, before + 1, 'there was nothing more to sync')
  t.notOk(isSynced((await open(t, { sync: 'interval' })).dir))
})

t.test('interval syncs now and then, none only when asked', async t => {
  const interval = await open(t, { sync: 'interval' })
  await interval.wal.append(1, payload('x'), () => {})
  const before = interval.syncs
  await eventually(() => interval.syncs > before)
  await new Promise(resolve => setTimeout(resolve, 100))
  t.equal(interval.syncs, before + 1, 'once: there was nothing more to sync')
  const none = await open(t, { sync: 'none' })
  await none.wal.append(1, payload('x'), () => {})
  const unsynced = none.syncs
  await none.wal.flush()
  t.equal(none.syncs, unsynced + 1)
  await none.wal.flush()
  t.equal(none.syncs, unsynced + 1, 'nothing to do twice')
})

t.test('segments are dropped when everything in them is below a number', async t => {
  const { wal, dir } = await open(t, { segmentSize: 100 })
  const seqs: number[] = []
  for (let i = 0; i < 6; i++) await wal.append(1, payload('x'.repeat(100)), seq => seqs.push(seq))
  t.equal(readdirSync(dir).length, 6)
  await wal.dropBefore(seqs[3]!)
  t.same(
    (await contents(dir)).map(([seq]) => seq),
    seqs.slice(3)
  )
  await wal.dropBefore(wal.nextSeq)
  t.equal(readdirSync(dir).length, 1, 'the open one stays')
})

t.test('a writer whose record was refused hears why, and numbers go on', async t => {
  const { wal } = await open(t)
  const broken = wal.append(1, [Buffer.from('fine')], () => {
    throw new Error('cannot be applied')
  })
  await t.rejects(broken, { message: 'cannot be applied' })
  await wal.append(1, payload('next'), () => {})
})

t.test('records under way count until they are answered', async t => {
  const { wal } = await open(t)
  const appended = [wal.append(1, payload('four'), () => {}), wal.append(1, payload('more'), () => {})]
  t.equal(wal.pendingBytes, 8)
  await Promise.all(appended)
  t.equal(wal.pendingBytes, 0)
  const fails = () => {
    throw new Error('not taken')
  }
  await t.rejects(wal.append(1, payload('late'), fails), { message: 'not taken' })
  t.equal(wal.pendingBytes, 0, 'refused ones, too')
})
