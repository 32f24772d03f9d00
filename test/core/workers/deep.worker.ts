// Answers with an object nested as deeply as requested.
import { parentPort } from 'node:worker_threads'

parentPort!.on('message', (depth: number) => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = { inner: { items: [value] } }
  parentPort!.postMessage(value)
})
