// Collects garbage for the first time when told, at the same moment as others.
import { workerData } from 'node:worker_threads'
import { collect } from '../../../core/workers/free.ts'

const gate = new Int32Array(workerData as SharedArrayBuffer)
Atomics.add(gate, 1, 1)
Atomics.notify(gate, 1)
Atomics.wait(gate, 0, 0)
collect('minor')
