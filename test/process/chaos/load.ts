// A round's work: senders that write until the server is gone, and now and then a flush, a compaction, a dropped table.
import type { Ledger } from './ledger.ts'
import type { Newest } from './newest.ts'
import { Random } from './random.ts'
import { type ChaosRequest, draft, droppable, type Kind, kinds, portions, request } from './requests.ts'

export interface Round {
  readonly url: string
  readonly ledger: Ledger
  readonly newest: Newest
  /** Where in the run's chance this round draws from. */
  readonly place: readonly number[]
  /** Fires when the server is gone. */
  readonly signal: AbortSignal
  /** Called when a write was answered with success. */
  readonly answered: () => void
  /** Answers other than 200, by status and text. */
  readonly refusals: Map<string, number>
}

const senders = 4

/** Resolves when everybody has stopped. */
export async function work(round: Round): Promise<void> {
  const random = Random.at(...round.place)
  const dropped = random.chance(0.12) ? random.pick(droppable) : undefined
  const allowed = kinds.filter(kind => kind !== dropped?.[0])
  const jobs = Array.from({ length: senders }, (_, sender) => send(round, allowed, sender))
  if (dropped) jobs.push(drop(round, dropped[1], random.between(0, 150)))
  jobs.push(maintain(round))
  await Promise.all(jobs)
}

async function send(round: Round, allowed: readonly Kind[], sender: number): Promise<void> {
  const random = Random.at(...round.place, 1 + sender)
  while (!round.signal.aborted) {
    const kind = random.pick(allowed)
    const content = draft(kind, random)
    const sent = round.ledger.open(portions(content))
    if (kind === 'newest') round.newest.sent(sender, sent.id)
    const status = await post(round, request(content, sent.id, sender))
    if (status === undefined) return
    sent.state = status === 200 ? 'answered' : 'refused'
    if (status === 200) round.answered()
    if (kind === 'newest' && status === 200) round.newest.answered(sender, sent.id)
  }
}

async function drop(round: Round, table: string, after: number): Promise<void> {
  await pause(after)
  const dropping = round.ledger.drop(table)
  const status = await post(round, sql(`DROP TABLE IF EXISTS ${table}`))
  dropping.answered = status === 200
}

async function maintain(round: Round): Promise<void> {
  const random = Random.at(...round.place, 101)
  while (!round.signal.aborted) {
    await pause(random.between(10, 120))
    const [, table] = random.pick(droppable)
    const call = random.chance(0.6) ? 'flush_table' : 'compact_table'
    if ((await post({ ...round, refusals: new Map() }, sql(`ADMIN ${call}('${table}')`))) === undefined) return
  }
}

function sql(statement: string): ChaosRequest {
  const body = new URLSearchParams({ sql: statement }).toString()
  return { path: '/v1/sql', contentType: 'application/x-www-form-urlencoded', body }
}

/** The status of the answer; undefined when there was none. */
async function post(round: Round, { path, contentType, body }: ChaosRequest): Promise<number | undefined> {
  try {
    const response = await fetch(round.url + path, { method: 'POST', headers: { 'content-type': contentType }, body })
    const text = await response.text()
    if (response.status !== 200) {
      const refusal = `${response.status} ${text.slice(0, 200)}`
      round.refusals.set(refusal, (round.refusals.get(refusal) ?? 0) + 1)
    }
    return response.status
  } catch {
    return undefined
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}
