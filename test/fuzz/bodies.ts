// Compressed bodies of several frames, members and streams, whole, cut, bent and with something behind their end: the content is exactly
// that of the parts, or the body is refused.
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  constants as zlib,
  zstdCompressSync
} from 'node:zlib'
import { inflateSync, isDbError } from '../../core/wire/index.ts'
import type { ContentCoding } from '../../core/wire/inflate.ts'
import { bendBytes } from './bend.ts'
import { createRandom, type Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

interface Part {
  readonly content: Buffer
  readonly packed: Buffer
}

const codings = ['gzip', 'zstd', 'deflate', 'br'] as const
const series: readonly ContentCoding[] = ['gzip', 'zstd']
const fates = ['whole', 'limited', 'behind', 'cut', 'bent'] as const

class TooLarge extends Error {}

/** Parts are made once and put together anew each time: packing takes far longer than unpacking. */
const parts = makeParts(createRandom(1))

function attempt(random: Random): Attempt {
  const coding = random.pick(codings)
  const fate = random.pick(fates)
  const isSeries = series.includes(coding)
  const chosen = Array.from({ length: isSeries ? 1 + random.below(5) : 1 }, () => random.pick(parts[coding]))
  const content = Buffer.concat(chosen.map(part => part.content))
  const pieces = chosen.map(part => part.packed)
  if (coding === 'zstd') for (let i = random.below(3); i > 0; i--) insert(random, pieces, skippable(random))
  if (fate === 'behind' && isSeries) insert(random, pieces, garbage(random))
  else if (fate === 'behind') pieces.push(garbage(random))
  const whole = Buffer.concat(pieces)
  const body = fate === 'cut' ? cut(random, pieces) : fate === 'bent' ? Buffer.from(bendBytes(random, whole)) : whole
  const limit = fate === 'limited' ? Math.max(1, content.length - random.below(2)) : 0
  const expected = fate === 'limited' && limit < content.length ? 'too large' : content
  const isBroken = fate === 'behind' || fate === 'cut'
  return {
    input: () => `${coding}, ${fate}, limit ${limit}: ${body.toString('base64')}`,
    read: () => {
      const found = unpack(body, coding, limit)
      if (fate === 'bent' && !body.equals(whole)) {
        if (typeof found === 'string') throw new Refused()
        return
      }
      if (isBroken && typeof found === 'string' && found !== 'too large') throw new Refused()
      if (isBroken) throw new Error('it was taken')
      const isSame =
        typeof expected === 'string' || typeof found === 'string' ? found === expected : expected.equals(found)
      if (!isSame) throw new Error(typeof found === 'string' ? found : `${found.length} bytes of content`)
    }
  }
}

class Refused extends Error {}

/** The content, `too large`, or why it is refused. */
function unpack(body: Buffer, coding: ContentCoding, limit: number): Buffer | string {
  try {
    return inflateSync(body, coding, { limit, tooLarge: () => new TooLarge() })
  } catch (error) {
    if (error instanceof TooLarge) return 'too large'
    if (isDbError(error) && error.status === 400 && error.message.startsWith('the body is not valid')) {
      return error.message
    }
    throw error
  }
}

export const fuzz = fuzzReading(attempt, error => error instanceof Refused)

function insert(random: Random, pieces: Buffer[], piece: Buffer): void {
  pieces.splice(random.below(pieces.length + 1), 0, piece)
}

/** Ends inside one of the pieces, not between two. */
function cut(random: Random, pieces: readonly Buffer[]): Buffer {
  const last = random.below(pieces.length)
  const piece = pieces[last]!
  const rest = piece.subarray(0, 1 + random.below(piece.length - 1))
  // A stream of brotli without content is one byte long.
  return Buffer.concat([...pieces.slice(0, last), piece.length === 1 ? Buffer.of(1) : rest])
}

/** What begins no frame and no member. */
function garbage(random: Random): Buffer {
  const first = random.pick([0, 0, 10, 32, 120, 255])
  return Buffer.from(Array.from({ length: 1 + random.below(20) }, (_, i) => (i === 0 ? first : random.below(256))))
}

function skippable(random: Random): Buffer {
  const content = Buffer.alloc(random.below(40), 'skipped')
  const head = Buffer.alloc(8)
  head.writeUInt32LE(0x184d2a50 + random.below(16))
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content])
}

function makeParts(random: Random): Readonly<Record<ContentCoding, readonly Part[]>> {
  const contents = Array.from({ length: 60 }, () => makeContent(random))
  const pack = (packers: readonly ((content: Buffer) => Buffer)[]) =>
    contents.map(content => ({ content, packed: random.pick(packers)(content) }))
  return {
    gzip: pack([content => gzipSync(content, { level: random.below(10) })]),
    zstd: pack([
      content => zstdCompressSync(content, { params: { [zlib.ZSTD_c_checksumFlag]: random.below(2) } }),
      content => zstdCompressSync(content, { params: { [zlib.ZSTD_c_contentSizeFlag]: 0 } })
    ]),
    deflate: pack([content => deflateSync(content), content => deflateRawSync(content)]),
    br: pack([content => brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_QUALITY]: random.below(6) } })])
  }
}

function makeContent(random: Random): Buffer {
  const length = random.pick([0, 1, 5, 100, 1000, 10_000, random.below(40_000)])
  if (random.once(3)) return Buffer.from(Array.from({ length }, () => random.below(256)))
  return Buffer.from(`{"n":${random.below(1000)},"text":"weir"}\n`.repeat(1 + Math.ceil(length / 20)).slice(0, length))
}
