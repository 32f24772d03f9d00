// Random, damaged and truncated lines: each is accepted or refused, and accepted ones equal what a simple parser returns.
import { isDbError, runAtOnce } from '../../core/index.ts'
import { LineDecoder } from '../../plugins/lineproto/decode/lines.ts'
import { readPrecision } from '../../plugins/lineproto/precision.ts'
import {
  decodedPoints,
  type Point,
  readPoints,
  showPoint,
  type Value,
  writePoint
} from '../plugins/lineproto/points.ts'
import { createRandom, type Fuzz, type Random } from './random.ts'

const names = ['m', 'cpu', 'größe', 'a b', 'x,y', 'k=v', 'back\\slash', '"q"']
const texts = [
  ...['v', 'line\nfeed', '', 'two words', 'quo"te', 'back\\slash', 'ü,=', '\\"', '#'],
  ...[255, 256, 257, 700].flatMap(length => ['', '"', '\\'].map(end => `${'long '.repeat(200).slice(0, length)}${end}`))
]
const pieces = [',', ' ', '=', '"', '\\', '\n', '\r\n', 'i', 'u', '-', '.', 'e', '1', '9', 't', 'false', '\t', '#', 'é']

/** A run is a body of about ten lines. */
export const fuzz: Fuzz = (seed, runs) => {
  const random = createRandom(seed)
  const limits = {
    max_request_tables: 1000,
    max_request_cells: 1e6,
    max_key_size: 1e6,
    max_text_size: 1e6,
    cache_size: 1e5
  }
  const decoder = new LineDecoder(limits)
  let lines = 0
  let taken = 0
  for (let run = 0; run < runs; run++) {
    const points = Array.from({ length: 1 + random.below(10) }, () => makePoint(random))
    const body = bend(random, Buffer.from(points.map(writePoint).join(random.once(3) ? '\r\n' : '\n')))
    lines += points.length
    const broken = compare(decoder, body)
    if (broken === 'taken') taken++
    else if (broken !== 'refused') {
      const shown = `run ${run}, ${body.toString('base64')}: ${broken}\n${JSON.stringify(body.toString())}`
      return { runs: run, summary: `${lines} lines`, broken: shown }
    }
  }
  return { runs, summary: `${lines} lines, ${taken} bodies taken, the others refused` }
}

/** `taken` where both readers agree on the points, `refused` where they agree that there is an error; else what is wrong. */
function compare(decoder: LineDecoder, body: Buffer): string {
  const expected = readPoints(body)
  let found: readonly Point[]
  try {
    found = decodedPoints(runAtOnce(decoder.decode(body, readPrecision('ns'), 7n, { max: 1000, key: 'none' })))
  } catch (error) {
    if (!isDbError(error) || error.status !== 400) return String((error as Error).stack)
    return expected === undefined ? 'refused' : `refused: ${error.message}`
  }
  if (expected === undefined) return `taken: ${found.map(showPoint).join('\n')}`
  const [a, b] = [found, expected].map(points => points.map(showPoint).sort().join('\n'))
  return a === b ? 'taken' : `read as ${a}\nnot as ${b}`
}

function makePoint(random: Random): Point {
  const tags = Array.from({ length: random.below(3) }, () => [random.pick(names), random.pick(texts) || 'x'] as const)
  const fields = Array.from({ length: 1 + random.below(3) }, () => {
    const value = makeValue(random)
    // Fields of one name and different types are refused: few of them.
    return [`${random.pick(names)}${random.once(100) ? '' : value.type}`, value] as const
  })
  const time = BigInt(random.below(2 ** 31) - 1000) * BigInt(random.below(2 ** 32))
  return { table: random.pick(names), tags: new Map(tags), fields: new Map(fields), time }
}

function makeValue(random: Random): Value {
  const kind = random.below(6)
  if (kind === 0) return { type: 'String', value: random.pick(texts) }
  if (kind === 1) return { type: 'Boolean', value: random.once(2) }
  if (kind === 2) return { type: 'Int64', value: BigInt.asIntN(64, makeInteger(random)) }
  if (kind === 3) return { type: 'UInt64', value: BigInt.asUintN(64, makeInteger(random)) }
  return { type: 'Float64', value: makeFloat(random) }
}

function makeInteger(random: Random): bigint {
  return (BigInt(random.below(2 ** 32)) * 2n ** 32n + BigInt(random.below(2 ** 32))) >> BigInt(random.below(64))
}

function makeFloat(random: Random): number {
  if (random.once(2)) return random.below(1000) / 10 ** random.below(4)
  const words = Uint32Array.of(random.below(2 ** 32), random.below(2 ** 32))
  const [value] = new Float64Array(words.buffer)
  return Number.isFinite(value) ? value! : -0
}

/** Some bytes changed, put in, cut out or doubled; nothing one time in three. */
function bend(random: Random, bytes: Buffer): Buffer {
  let bent = bytes
  for (let changes = random.below(3); changes > 0; changes--) {
    const at = random.below(bent.length + 1)
    const to = random.once(2) ? at : at + random.below(4)
    const piece = random.once(20) ? Buffer.from([random.below(256)]) : Buffer.from(random.pick(pieces))
    bent = Buffer.concat([bent.subarray(0, at), piece, bent.subarray(to)])
  }
  // The same names written in another way.
  if (random.once(10)) bent = Buffer.from(bent.toString('latin1').replaceAll('\\\\', '\\'), 'latin1')
  return random.once(20) ? bent.subarray(0, random.below(bent.length + 1)) : bent
}
