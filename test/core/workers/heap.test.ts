import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { beginCollection, collect, countArraysWithHeap } from '../../../core/workers/free.ts'
import { arrayBytes, createTidy, reportUnused, threadHeap } from '../../../core/workers/heap.ts'
import { startWorker } from '../../../core/workers/worker.ts'

const MiB = 2 ** 20
const growth = 16 * MiB
const pages = '/proc/self/smaps_rollup'

/** A heap in which a collection leaves so many bytes; `time` goes on by what each takes. */
function heapOf(size: number) {
  const heap = {
    bytes: size,
    unusedArrays: 0,
    allArrays: 0,
    left: [] as number[],
    collections: [] as string[],
    time: 0,
    size: () => heap.bytes,
    unused: () => heap.unusedArrays,
    arrays: () => heap.allArrays,
    collect(type: 'begin' | 'all') {
      heap.collections.push(type)
      heap.unusedArrays = 0
      heap.bytes = heap.left.shift() ?? heap.bytes
      heap.time += type === 'all' ? heap.bytes / MiB : 0
    }
  }
  return heap
}

t.test('a heap that has grown is collected once the thread has little to do, then its pages are returned', async t => {
  const heap = heapOf(50 * MiB)
  heap.left = [60 * MiB, 52 * MiB]
  const tidy = createTidy(heap, growth)
  tidy(0)
  t.strictSame(heap.collections, [], 'it has not grown')
  heap.bytes = 200 * MiB
  tidy(0.9)
  t.strictSame(heap.collections, [], 'the thread is busy')
  tidy(0.1)
  t.strictSame(heap.collections, ['begin'])
  tidy(0.01)
  t.strictSame(heap.collections, ['begin', 'all'])
  heap.bytes = 60 * MiB
  for (let i = 0; i < 3; i++) tidy(0.01)
  t.equal(heap.collections.length, 2, 'a little more is no reason')
})

t.test('arrays that are garbage are collected however busy the thread is', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth)
  heap.unusedArrays = 10 * MiB
  tidy(0.9)
  t.strictSame(heap.collections, [])
  heap.unusedArrays = 100 * MiB
  for (let i = 0; i < 3; i++) tidy(0.9)
  t.strictSame(heap.collections, ['begin'])
})

t.test('arrays that have grown much are looked at twice, however busy the thread is', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth)
  heap.allArrays = 60 * MiB
  tidy(0.9)
  t.strictSame(heap.collections, [])
  heap.allArrays = 200 * MiB
  for (let i = 0; i < 5; i++) tidy(0.9)
  t.strictSame(heap.collections, ['begin', 'begin'], 'what came during the first is left to the second')
  heap.allArrays = 20 * MiB
  tidy(0.9)
  heap.allArrays = 90 * MiB
  tidy(0.9)
  heap.allArrays = 20 * MiB
  for (let i = 0; i < 3; i++) tidy(0.9)
  t.equal(heap.collections.length, 3, 'most of them were garbage')
})

/** Old arrays that nobody uses, until `collecting` has freed them or was called fifty times; the bytes of arrays then. */
async function arraysAfter(collecting: () => void): Promise<number> {
  const kept = Array.from({ length: 7 }, () => new ArrayBuffer(60 * MiB))
  collect('minor')
  collect('minor')
  const before = arrayBytes()
  if (before < 400 * MiB) throw new Error(`${before} bytes of arrays are counted`)
  kept.length = 0
  for (let i = 0; i < 50 && arrayBytes() > before / 2; i++) {
    collecting()
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return arrayBytes()
}

t.test('a collection that is begun leaves it to V8 when others begin', async t => {
  beginCollection()
  const left = await arraysAfter(() => new ArrayBuffer(80 * MiB).transfer(0))
  t.ok(left < 100 * MiB, `V8 begins one by itself, ${left} bytes are left`)
})

t.test('a collection that is begun frees arrays that nobody uses, also where V8 counts them with the heap', async t => {
  countArraysWithHeap()
  const left = await arraysAfter(beginCollection)
  t.ok(left < 100 * MiB, `${left} bytes are left`)
})

t.test('arrays that become garbage right after a collection began are collected by the next one', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth)
  heap.bytes = 70 * MiB
  tidy(0.1)
  t.strictSame(heap.collections, ['begin'])
  heap.unusedArrays = 120 * MiB
  tidy(0.1)
  t.strictSame(heap.collections, ['begin', 'begin'])
  tidy(0.1)
  t.equal(heap.collections.length, 2, 'nothing is left to collect')
})

t.test('a heap that is in use is collected once', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth)
  heap.bytes = 90 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(heap.collections, ['begin', 'all'])
  heap.bytes = 100 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.equal(heap.collections.length, 2)
})

t.test('a heap in use keeps its pages if returning them would take long', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth, () => heap.time)
  heap.bytes = 300 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(heap.collections, ['begin'])
  heap.bytes = 60 * MiB
  tidy(0)
  heap.bytes = 90 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(heap.collections, ['begin', 'begin', 'all'], 'less of it is in use')
  heap.bytes = 200 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(heap.collections.slice(3), ['begin', 'all'], 'it is known now that it takes a millisecond per MiB')
  heap.bytes = 300 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.strictSame(heap.collections.slice(5), ['begin'])
})

t.test('a thread that works a little keeps its pages until it rests', async t => {
  const heap = heapOf(50 * MiB)
  const tidy = createTidy(heap, growth)
  heap.bytes = 90 * MiB
  for (let i = 0; i < 5; i++) tidy(0.1)
  t.strictSame(heap.collections, ['begin'])
  tidy(0.01)
  t.strictSame(heap.collections, ['begin', 'all'])
})

t.test('a heap that has become smaller by itself may not grow to what it was before', async t => {
  const heap = heapOf(300 * MiB)
  const tidy = createTidy(heap, growth)
  heap.bytes = 60 * MiB
  tidy(0)
  t.strictSame(heap.collections, [])
  heap.bytes = 290 * MiB
  tidy(0)
  t.strictSame(heap.collections, ['begin'])
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

t.test('arrays that are reported as unused count until a collection begins', async t => {
  reportUnused(64 * MiB)
  t.equal(threadHeap.unused(), 64 * MiB)
  threadHeap.collect('begin')
  t.equal(threadHeap.unused(), 0)
})

/** Resident memory of this process that is not a file's. */
function anonymousBytes(): number {
  const text = existsSync(pages) ? readFileSync(pages, 'utf8') : ''
  return Number(/^Anonymous:\s+(\d+)/m.exec(text)?.[1]) * 1024
}
