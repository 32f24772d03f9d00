import { once } from 'node:events'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'

t.test('a thread that gives way is below the one that started it, which stays where it was', async t => {
  const own = getPriority()
  for (const [work, steps] of [
    ['reads', 5],
    ['programs', 10],
    ['upkeep', 10]
  ] as const) {
    const worker = new Worker(new URL('./give-way.worker.ts', import.meta.url), { workerData: work })
    const [ranks] = await once(worker, 'message')
    t.strictSame(ranks, [own, Math.min(19, own + steps)], work)
  }
  t.equal(getPriority(), own)
})
