// A round's work: senders that write until the server is gone, and now and then a flush, a compaction, a changed or a dropped table.
import type { Ledger } from './ledger.ts'
import type { Newest } from './newest.ts'
import { Random } from './random.ts'
import {
  type ChaosRequest,
  draft,
  droppable,
  isOverwriting,
  type Kind,
  kinds,
  type OverwritingKind,
  portions,
  request,
  sql
} from './requests.ts'

export interface Round {
  readonly url: string
  readonly ledger: Ledger
  readonly overwritten: Readonly<Record<OverwritingKind, Newest>>
  /** Where in the run's chance this round draws from. */
  readonly place: readonly number[]
  /** Fires when the server is gone. */
  readonly signal: AbortSignal
  /** Called when a write was answered with success. */
  readonly answered: () => void
  /** Answers other than 200, by status and text. */
  readonly refusals: Map<string, number>
  /** Statements besides the writes that were answered with success, by their first words. */
  readonly upkeep: Map<string, number>
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
    const newest = isOverwriting(kind) ? round.overwritten[kind] : undefined
    const version = content.deletes ? 0 : sent.id
    newest?.sent(sender, version)
    const status = await post(round, request(content, sent.id, sender))
    if (status === undefined) return
    sent.state = status === 200 ? 'answered' : 'refused'
    if (status !== 200) continue
    round.answered()
    newest?.answered(sender, version)
  }
}

async function drop(round: Round, table: string, after: number): Promise<void> {
  await pause(after)
  const dropping = round.ledger.drop(table)
  const statement = after % 2 === 0 ? `DROP TABLE IF EXISTS ${table}` : `TRUNCATE TABLE ${table}`
  const status = await post({ ...round, refusals: new Map() }, sql(statement))
  dropping.answered = status === 200
}

async function maintain(round: Round): Promise<void> {
  const random = Random.at(...round.place, 101)
  while (!round.signal.aborted) {
    await pause(random.between(10, 120))
    const [, table] = random.pick(droppable)
    const [words, statement] = random.pick(upkeep(table, random))
    const status = await post({ ...round, refusals: new Map() }, sql(statement))
    if (status === undefined) return
    if (status === 200) round.upkeep.set(words, (round.upkeep.get(words) ?? 0) + 1)
  }
}

/** What may be asked of a table at any time: it may be missing, or have the column already. */
function upkeep(table: string, random: Random): readonly (readonly [string, string])[] {
  const column = `extra_${random.between(1, 4)}`
  return [
    ['flush', `ADMIN flush_table('${table}')`],
    ['flush', `ADMIN flush_table('${table}')`],
    ['compact', `ADMIN compact_table('${table}')`],
    ['add column', `ALTER TABLE ${table} ADD COLUMN ${column} STRING`],
    ['drop column', `ALTER TABLE ${table} DROP COLUMN ${column}`]
  ]
}

/** The status of the answer, 200 for any success; undefined when there was none. */
async function post(
  round: Round,
  { path, contentType, body, headers: others }: ChaosRequest
): Promise<number | undefined> {
  const headers = { 'content-type': contentType, ...others }
  try {
    const response = await fetch(round.url + path, { method: 'POST', headers, body })
    const text = await response.text()
    if (!response.ok) {
      const refusal = `${response.status} ${text.slice(0, 200)}`
      round.refusals.set(refusal, (round.refusals.get(refusal) ?? 0) + 1)
    }
    return response.ok ? 200 : response.status
  } catch {
    return undefined
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}
