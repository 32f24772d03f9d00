import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import type { ColumnData } from '../../../core/model/batch.ts'
import type { MemtableRows } from '../../../core/storage/embedded/memory/memtable.ts'
import type { FlushTask } from '../../../core/storage/embedded/upkeep/flush-rows.ts'
import type { MergeTask } from '../../../core/storage/embedded/upkeep/merge-files.ts'
import { UpkeepThread } from '../../../core/storage/embedded/upkeep/upkeep-thread.ts'
import { temporaryFolder } from './fixtures.ts'

function task(path: string, rows: number): FlushTask {
  const layout = {
    path,
    columns: [
      { name: 'at', type: 'TimestampMillisecond' },
      { name: 'n', type: 'Float64' }
    ] as const,
    time: 0,
    hasSeries: false,
    hasOrder: false,
    hasOwner: false,
    groupRows: 100,
    numbersGroups: false,
    merge: 'none',
    keepDeletes: true
  } as const
  const at = BigInt64Array.from({ length: rows }, (_, i) => BigInt(rows - i))
  const n = Float64Array.from({ length: rows }, (_, i) => rows - i)
  const stored = layout.columns.map(({ name, type }, i) => ({ id: i + 1, physical: name, type }))
  const columns = new Map([at, n].map((values, i) => [i + 1, { kind: 'fixed', values }] as const))
  const write: MemtableRows = { rows, seq: 1, op: 'put', tsids: undefined, columns }
  return { layout, owners: undefined, rows: { writes: [write], columns: stored, hasSeries: false, hasVersions: false } }
}

t.test('writes sorted rows and tells what it wrote', async t => {
  const thread = new UpkeepThread({ died: () => t.fail('died') })
  t.teardown(() => thread.close())
  const path = join(temporaryFolder(t), 'a.parquet')
  t.match(await thread.flush(task(path, 250)), { rows: 250, minTime: 1n, maxTime: 250n, deletes: false })
  const file = new Uint8Array(readFileSync(path)).buffer
  const rows = await parquetReadObjects({ file, compressors })
  t.strictSame(
    rows.map(row => row.n),
    Array.from({ length: 250 }, (_, i) => i + 1)
  )
})

t.test('a file that cannot be written is told, and leaves nothing', async t => {
  const thread = new UpkeepThread({ died: () => t.fail('died') })
  t.teardown(() => thread.close())
  const dir = temporaryFolder(t)
  const missing = { code: 'StorageUnavailable', message: /^IO Error: ENOENT/ }
  await t.rejects(thread.flush(task(join(dir, 'nowhere', 'a.parquet'), 10)), missing)
  const path = join(dir, 'a.parquet')
  const { layout, rows, ...rest } = task(path, 2)
  const seconds = { name: 's', type: 'TimestampSecond' } as const
  const data = { kind: 'fixed', values: BigInt64Array.of(1n, 2n ** 60n) } as const
  const [write] = rows.writes
  const wrong = {
    ...rest,
    layout: { ...layout, columns: [...layout.columns, seconds] },
    rows: {
      ...rows,
      columns: [...rows.columns, { id: 3, physical: 's', type: seconds.type }],
      writes: [{ ...write!, columns: new Map<number, ColumnData>([...write!.columns, [3, data]]) }]
    }
  }
  await t.rejects(thread.flush(wrong), { code: 'StorageUnavailable', message: /^Parquet: / })
  t.notOk(existsSync(path))
  t.match(await thread.flush(task(path, 10)), { rows: 10 }, 'the thread goes on')
})

t.test('a thread that dies fails its work, and another one takes the next', async t => {
  let deaths = 0
  const ends = ['process.exit(3)', 'throw new Error("broken")']
  const thread = new UpkeepThread({
    died: () => deaths++,
    start: () => {
      const end = ends.shift()
      if (end !== undefined)
        return new Worker(`require('node:worker_threads').parentPort.on('message', () => { ${end} })`, { eval: true })
      return new Worker(new URL('../../../core/storage/embedded/upkeep/upkeep.worker.ts', import.meta.url))
    }
  })
  t.teardown(() => thread.close())
  const path = join(temporaryFolder(t), 'a.parquet')
  const died = { code: 'Internal', message: 'the thread that writes data files died' }
  await t.rejects(thread.flush(task(path, 10)), died)
  await t.rejects(Promise.all([thread.flush(task(path, 10)), thread.flush(task(path, 10))]), died)
  t.equal(deaths, 2)
  t.match(await thread.flush(task(path, 10)), { rows: 10 })
  await thread.close()
  await t.rejects(thread.flush(task(path, 10)), { code: 'Cancelled' })
  t.equal(deaths, 2)
})

t.test('merges under way are given up, and the next work finds another thread', async t => {
  const silent = () => new Worker(`require('node:worker_threads').parentPort.on('message', () => {})`, { eval: true })
  const worker = () => new Worker(new URL('../../../core/storage/embedded/upkeep/upkeep.worker.ts', import.meta.url))
  const starts = [silent, worker]
  const thread = new UpkeepThread({ died: () => t.fail('died'), start: () => starts.shift()!() })
  t.teardown(() => thread.close())
  const merging = thread.merge({} as MergeTask)
  const given = t.rejects(merging, { code: 'Cancelled', message: 'the storage engine stops' })
  await thread.stopMerging()
  await given
  const flushing = thread.flush(task(join(temporaryFolder(t), 'a.parquet'), 10))
  await thread.stopMerging()
  t.match(await flushing, { rows: 10 }, 'a flush goes on')
})

t.test('closing a thread is waited for, whatever answers come meanwhile', async t => {
  const script = join(import.meta.dirname, 'ends-early.ts')
  t.equal(execFileSync(process.execPath, [script], { encoding: 'utf8', timeout: 60_000 }), 'upkeep reader')
})

t.test('an idle thread ends, and another one takes the next work', async t => {
  let starts = 0
  const start = () => {
    starts++
    return new Worker(new URL('../../../core/storage/embedded/upkeep/upkeep.worker.ts', import.meta.url))
  }
  const thread = new UpkeepThread({ died: () => t.fail('died'), start, idleTime: 100 })
  t.teardown(() => thread.close())
  const path = join(temporaryFolder(t), 'a.parquet')
  await Promise.all([thread.flush(task(path, 10)), thread.flush(task(`${path}.2`, 10))])
  t.equal(starts, 1)
  await new Promise(resolve => setTimeout(resolve, 500))
  t.match(await thread.flush(task(path, 20)), { rows: 20 })
  t.equal(starts, 2)
})
