// Requests of events and raw text made up, bent and cut: reading never does anything but take one or refuse it by a number of the
// protocol, and what it takes has columns.
import { isDbError, runAtOnce } from '../../core/index.ts'
import { columnsOf } from '../../plugins/eventcollector/columns.ts'
import { decodeEvents, type Events } from '../../plugins/eventcollector/decode/events.ts'
import { readRaw } from '../../plugins/eventcollector/decode/raw.ts'
import { formatError, replies, replyCode } from '../../plugins/eventcollector/errors.ts'
import { bendBytes, jsonPieces } from './bend.ts'
import { checkColumns } from './columns.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const keys = [
  'time',
  'host',
  'source',
  'sourcetype',
  'index',
  'event',
  'fields',
  'svc_timestamp',
  'a',
  'a.b',
  '\0a',
  '',
  'ü'
]
const texts = ['', ' ', 'x', '1700000000.5', '17000000001234', 'a "b" \\ c', 'ünï 🙂', 'line\nbreak', 'true', '\0']

function attempt(random: Random): Attempt {
  const isRaw = random.once(6)
  const whole = Array.from({ length: 1 + random.below(4) }, () => makeEvent(random)).join(random.pick(['', ' ', '\n']))
  const body = bendBytes(random, Buffer.from(random.once(4) ? `[${whole.replaceAll('}{', '},{')}]` : whole), jsonPieces)
  return {
    input: () => `${isRaw ? 'raw' : 'events'}, ${Buffer.from(body).toString('base64')}`,
    read: () =>
      check(isRaw ? raw(random, body) : runAtOnce(decodeEvents(body, { spread: !random.once(4), table: 't', now: 1n })))
  }
}

function refuses(error: unknown): boolean {
  return isDbError(error) && formatError(error).status === 400 && replies[replyCode(error)].status === 400
}

export const fuzz = fuzzReading(attempt, refuses)

function raw(random: Random, body: Uint8Array): Events {
  const linebreaker = random.pick([undefined, '\n', ',', '}{'])
  const time = random.pick([undefined, '5', ...texts])
  const read = readRaw(body, {
    table: 't',
    linebreaker,
    lines: random.once(2),
    time,
    now: 1n,
    tags: { host: random.pick(['h', undefined]) }
  })
  return runAtOnce(read)
}

function makeEvent(random: Random): string {
  const members = Array.from({ length: random.below(6) }, () => [random.pick(keys), makeValue(random, 3)])
  const event = random.once(8) ? [] : [['event', makeValue(random, 3)]]
  const time = random.once(2) ? [['time', random.pick([1_700_000_000.25, '1700000000.123', 5, 1_700_000_000_123])]] : []
  return JSON.stringify(Object.fromEntries([...members, ...event, ...time]))
}

function makeValue(random: Random, depth: number): unknown {
  const kind = random.below(depth === 0 ? 4 : 6)
  if (kind < 2) return random.pick(texts)
  if (kind === 2) return random.pick([0, -1, 1.5, 2 ** 53, 1e300])
  if (kind === 3) return random.pick([true, false, null])
  if (kind === 4) return Array.from({ length: random.below(3) }, () => makeValue(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [random.pick(keys), makeValue(random, depth - 1)])
  )
}

function check(events: Events): void {
  const rows = new Set<number>()
  for (const group of events.groups) {
    for (const row of group.rows) rows.add(row)
    try {
      checkColumns(runAtOnce(columnsOf(events, group.rows, undefined)), group.rows.length)
    } catch (error) {
      if (!isDbError(error)) throw error
    }
  }
  const expected = events.batch.rows - events.batch.failures.length
  if (rows.size !== expected) throw new Error(`${rows.size} of ${expected} events are in a group`)
}
