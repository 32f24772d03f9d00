import { once } from 'node:events'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'

t.test('a thread that gives way is below the one that started it, which stays where it was', async t => {
  const own = getPriority()
  const worker = new Worker(new URL('./give-way.worker.ts', import.meta.url))
  const [ranks] = await once(worker, 'message')
  t.strictSame(ranks, [own, Math.min(19, own + 5)])
  t.equal(getPriority(), own)
})
