// Random, damaged and truncated put requests: accepted ones equal what a simple JSON parser returns.
import { isDbError, runAtOnce } from '../../core/index.ts'
import { decodePoints } from '../../plugins/tsdbput/decode.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const names = ['m', 'sys.load', 'größe', 'a"b', '\u0001', '']
const numbers = [0, 1, -1.5, 1_700_000_000, 1_700_000_000_123, 1e300, '5', '1.5e3', 'x', '']
const pieces = ['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\\', '\\u00e9', '0', '1', 'e5', '-', 'null', 'tags', 'é']

interface PlainPoint {
  readonly metric: string
  readonly timestamp: number | string
  readonly value: number | string
  readonly tags: Readonly<Record<string, string>>
}

function attempt(random: Random): Attempt {
  const points = Array.from({ length: random.below(4) }, () => makePoint(random))
  const body = bend(random, Buffer.from(JSON.stringify(points.length === 1 ? points[0] : points)))
  return { input: () => JSON.stringify(body.toString()), read: () => compare(body) }
}

export const fuzz = fuzzReading(attempt, error => isDbError(error) && error.status === 400)

function compare(body: Buffer): void {
  const { count, starts, ends, metrics, metricOf, times, values, failures } = runAtOnce(decodePoints(body))
  for (let i = 0; i < count; i++) {
    const plain = JSON.parse(body.toString('utf8', starts[i], ends[i])) as PlainPoint
    if (metrics[metricOf[i]!] !== plain.metric) throw new Error(`metric ${metrics[metricOf[i]!]}`)
    if (failures.has(i)) continue
    const time = Number(plain.timestamp)
    if (times[i] !== (Math.abs(time) < 1e12 ? time * 1000 : time)) throw new Error(`time ${times[i]}`)
    if (values[i] !== Number(plain.value)) throw new Error(`value ${values[i]}`)
  }
}

function makePoint(random: Random): PlainPoint {
  const tags = Array.from({ length: random.below(3) }, () => [random.pick(names), random.pick(names)])
  const point = { timestamp: random.pick(numbers), value: random.pick(numbers), tags: Object.fromEntries(tags) }
  return { ...point, metric: random.pick(names), ...(random.once(4) && { more: [1, { x: null }] }) }
}

/** Some bytes changed, put in or cut out; nothing one time in three. */
function bend(random: Random, bytes: Buffer): Buffer {
  let bent = bytes
  for (let changes = random.below(3); changes > 0; changes--) {
    const at = random.below(bent.length + 1)
    const piece = random.once(20) ? Buffer.from([random.below(256)]) : Buffer.from(random.pick(pieces))
    bent = Buffer.concat([bent.subarray(0, at), piece, bent.subarray(random.once(2) ? at : at + random.below(4))])
  }
  return random.once(20) ? bent.subarray(0, random.below(bent.length + 1)) : bent
}
