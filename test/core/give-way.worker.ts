// Reports the priority of its thread before and after lowering it.
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { giveWay } from '../../core/workers/give-way.ts'

const rank = () =>
  Number(
    readFileSync('/proc/thread-self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[16]
  )
const before = rank()
giveWay(workerData)
parentPort!.postMessage([before, rank()])
