// One process of a history: opens the previous process's folder, checks it, works on it and checks again until it is killed.
import { join } from 'node:path'
import { createRandom } from '../fuzz/random.ts'
import { compareAll, settle, workTogether } from './clients.ts'
import { Ledger } from './ledger.ts'
import { type OpenEngine, type Session, sessionOver } from './session.ts'

const [folder, module, seedText] = process.argv.slice(2) as [string, string, string]
const seed = Number(seedText)
const random = createRandom(seed)
const { openEngine } = (await import(module)) as { openEngine: OpenEngine }

/** Steps between two comparisons of everything. */
const burst = 100

function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** What happens once everything is compared, and is compared again. */
async function disturb(session: Session): Promise<Session> {
  const { engine } = session
  const signal = new AbortController().signal
  await engine.maintain({ kind: 'flush' }, signal)
  await compareAll(session, ledger, 'after a flush')
  await engine.maintain({ kind: 'compact' }, signal)
  await compareAll(session, ledger, 'after a compaction')
  if (!random.once(3)) return session
  await engine.close()
  const reopened = sessionOver(await openEngine(join(folder, 'data'), seed))
  await compareAll(reopened, ledger, 'after a restart')
  return reopened
}

const ledger = new Ledger(join(folder, 'ledger'))
try {
  let session = sessionOver(await openEngine(join(folder, 'data'), seed))
  await settle(session, ledger)
  await compareAll(session, ledger, 'after a crash')
  report({ ready: true })
  for (;;) {
    let steps = 0
    const place = {
      session,
      ledger,
      random,
      isOver: () => steps >= burst,
      step: (what: string) => {
        steps++
        report({ step: what })
      }
    }
    await workTogether(place)
    await compareAll(session, ledger, 'after a burst')
    session = await disturb(session)
    report({ compared: true })
    if (random.once(6)) ledger.startEpoch()
  }
} catch (error) {
  report({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  process.exit(1)
}
