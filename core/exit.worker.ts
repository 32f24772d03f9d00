// Kills the process if it still runs when its time is up.
import { workerData } from 'node:worker_threads'
import { after } from './timer.ts'

after(workerData as number, () => process.kill(process.pid, 'SIGKILL'))
