// Ends the process if it is still there when its time is up.
import { workerData } from 'node:worker_threads'
import { after } from './timer.ts'

after(workerData as number, () => process.kill(process.pid, 'SIGKILL'))
