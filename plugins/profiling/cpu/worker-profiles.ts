// Profiles worker threads: each has its own inspector, reached through that of the main thread.
import type { Session } from 'node:inspector/promises'
import { after } from '../../../core/index.ts'
import type { CpuProfile } from './tree.ts'

export interface WorkerProfile {
  readonly name: string
  readonly profile: CpuProfile
}

interface WorkerProfiles {
  /** The profiles of workers that still run and answer in time. */
  stop(): Promise<readonly WorkerProfile[]>
}

interface Attached {
  readonly sessionId: string
  readonly name: string
  readonly stopped: PromiseWithResolvers<CpuProfile | undefined>
}

/** Milliseconds a busy worker has to answer. */
const patience = 2000

const idOfStop = 4

/** Profiles all workers, including those that start later. `interval` in microseconds. */
export async function profileWorkers(session: Session, interval: number): Promise<WorkerProfiles> {
  const workers = new Map<string, Attached>()
  const send = (sessionId: string, id: number, method: string, params = {}) =>
    // The worker may have ended meanwhile.
    session
      .post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) })
      .catch(() => {})
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    workers.set(sessionId, { sessionId, name: nameOf(workerInfo), stopped: Promise.withResolvers() })
    void send(sessionId, 1, 'Profiler.enable')
    void send(sessionId, 2, 'Profiler.setSamplingInterval', { interval })
    void send(sessionId, 3, 'Profiler.start')
  })
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    const { id, result } = JSON.parse(message) as { id?: number; result?: { profile?: CpuProfile } }
    if (id === idOfStop) workers.get(sessionId)?.stopped.resolve(result?.profile)
  })
  session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
    workers.get(sessionId)?.stopped.resolve(undefined)
    workers.delete(sessionId)
  })
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    async stop() {
      const all = [...workers.values()]
      for (const { sessionId } of all) void send(sessionId, idOfStop, 'Profiler.stop')
      const late = after(patience, () => {
        for (const { stopped } of all) stopped.resolve(undefined)
      })
      const profiles = await Promise.all(all.map(({ stopped }) => stopped.promise))
      late.stop()
      await session.post('NodeWorker.disable')
      return all.flatMap(({ name }, i) => (profiles[i] === undefined ? [] : [{ name, profile: profiles[i] }]))
    }
  }
}

/** `[worker] grammar`: named by its file, else by its title. */
function nameOf({ title, url }: { readonly title: string; readonly url: string }): string {
  const file = /([^/]+?)(\.worker)?\.[cm]?[jt]s$/.exec(url)?.[1]
  return `[worker] ${file ?? title.replace(/^\[worker \d+\] ?/, '')}`
}
