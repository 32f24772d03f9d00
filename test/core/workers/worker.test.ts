import { once } from 'node:events'
import t from 'tap'
import { startWorker } from '../../../core/workers/worker.ts'

t.test('a message that is too deep to be read here is an error of its thread, which ends', async t => {
  const worker = startWorker(import.meta.url, 'deep')
  const ended = new Promise(resolve => worker.once('exit', resolve))
  worker.postMessage(10)
  t.match(await once(worker, 'message'), [{ inner: { items: [{}] } }])
  worker.postMessage(1_000)
  await t.rejects(once(worker, 'message'), RangeError)
  await ended
})
