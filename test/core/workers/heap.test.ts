import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { collect } from '../../../core/workers/free.ts'
import { createTidy, reportUnused, threadHeap } from '../../../core/workers/heap.ts'
import { startWorker } from '../../../core/workers/worker.ts'

const MiB = 2 ** 20
const growth = 16 * MiB
const pages = '/proc/self/smaps_rollup'

t.test('a heap that has grown is looked through twice as soon as the server rests, and then no more', async t => {
  let size = 50 * MiB
  const collections: string[] = []
  const heap = {
    size: () => size,
    collect(type: string) {
      collections.push(type)
      size = collections.length === 1 ? 60 * MiB : 52 * MiB
    }
  }
  const tidy = createTidy(heap, growth)
  tidy(0)
  t.strictSame(collections, [], 'it has not grown')
  size = 200 * MiB
  tidy(0.9)
  t.strictSame(collections, [], 'the server is busy')
  tidy(0.01)
  t.strictSame(collections, ['major'])
  tidy(0.01)
  t.strictSame(collections, ['major', 'all'])
  tidy(0.01)
  size = 60 * MiB
  tidy(0.01)
  t.equal(collections.length, 2, 'a little more is no reason')
})

t.test('what is needed for good is looked through once', async t => {
  let size = 50 * MiB
  let collections = 0
  const tidy = createTidy({ size: () => size, collect: () => void collections++ }, growth)
  size = 90 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.equal(collections, 2)
  size = 100 * MiB
  tidy(0)
  t.equal(collections, 2)
})

t.test('a heap in use that takes long to look through is left to V8', async t => {
  let size = 50 * MiB
  let time = 0
  const collections: string[] = []
  const heap = {
    size: () => size,
    collect(type: string) {
      collections.push(type)
      time += type === 'major' ? 300 : 600
    }
  }
  const tidy = createTidy(heap, growth, () => time)
  size = 300 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(collections, ['major'], 'how long it takes is known now')
  for (size = 320 * MiB; size < 420 * MiB; size += 20 * MiB) tidy(0)
  t.strictSame(collections, ['major'])
  size = 60 * MiB
  tidy(0)
  size = 200 * MiB
  tidy(0)
  t.strictSame(collections, ['major', 'major'], 'less of it is in use')
})

t.test('pages are returned where nobody is held up', async t => {
  let size = 50 * MiB
  const collections: string[] = []
  const tidy = createTidy({ size: () => size, collect: type => void collections.push(type) }, growth)
  size = 90 * MiB
  for (let i = 0; i < 5; i++) tidy(0.1)
  t.strictSame(collections, ['major'])
  tidy(0.01)
  t.strictSame(collections, ['major', 'all'])
})

t.test('a heap that has become smaller by itself may not grow to what it was before', async t => {
  let size = 300 * MiB
  let collections = 0
  const tidy = createTidy({ size: () => size, collect: () => void collections++ }, growth)
  size = 60 * MiB
  tidy(0)
  t.equal(collections, 0)
  size = 290 * MiB
  tidy(0)
  t.equal(collections, 1)
})

t.test(
  'pages that V8 keeps for later go to the system',
  { skip: process.platform !== 'linux' && 'no /proc' },
  async t => {
    let kept: unknown[] = []
    for (let i = 0; i < 1_000_000; i++) kept.push({ i })
    const grown = anonymousBytes()
    kept = []
    collect('major')
    collect('all')
    t.equal(kept.length, 0)
    // Other systems do not say.
    if (existsSync(pages)) t.ok(grown - anonymousBytes() > 20 * MiB, `${grown} bytes before, ${anonymousBytes()} after`)
  }
)

t.test('the heap of a thread that rests is looked through', async t => {
  const worker = startWorker(import.meta.url, 'burst')
  t.teardown(() => worker.terminate())
  const [grown] = (await once(worker, 'message')) as [number]
  for (let left = 40; left > 0; left--) {
    await new Promise(resolve => setTimeout(resolve, 500))
    const { total_heap_size: size } = await worker.getHeapStatistics()
    if (size < grown - 10 * MiB) return
  }
  t.fail(`still ${grown} bytes`)
})

t.test('arrays that are reported as unused count as growth of the heap until it is collected', async t => {
  const before = threadHeap.size()
  reportUnused(64 * MiB)
  t.ok(threadHeap.size() - before > 60 * MiB)
  threadHeap.collect('major')
  t.ok(threadHeap.size() - before < 32 * MiB)
})

/** Resident memory of this process that is not a file's. */
function anonymousBytes(): number {
  const text = existsSync(pages) ? readFileSync(pages, 'utf8') : ''
  return Number(/^Anonymous:\s+(\d+)/m.exec(text)?.[1]) * 1024
}
