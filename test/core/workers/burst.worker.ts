// Allocates many objects, releases them, reports the heap size, and waits.
import { parentPort } from 'node:worker_threads'

let kept: unknown[] = []
for (let i = 0; i < 1_000_000; i++) kept.push({ i })
parentPort!.on('message', () => {})
parentPort!.postMessage(process.memoryUsage().heapTotal)
kept = []
