// Random, damaged and truncated push requests, in protobuf and JSON: each is accepted or refused, and accepted ones have valid columns.

import { isDbError, runAtOnce } from '../../core/index.ts'
import { encodeSnappy, snappyLength } from '../../core/wire/index.ts'
import { columnsOf } from '../../plugins/logpush/columns.ts'
import { decodeJson } from '../../plugins/logpush/decode/json.ts'
import { decodeProtobuf } from '../../plugins/logpush/decode/protobuf.ts'
import type { Push } from '../../plugins/logpush/decode/push.ts'
import { itemsOf } from '../../plugins/logpush/items.ts'
import { type TestEntry, type TestStream, writeJsonPush, writeProtobuf } from '../plugins/logpush/messages.ts'
import { bendBytes, jsonPieces } from './bend.ts'
import { checkColumns } from './columns.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const names = ['app', 'env', 'a_b', 'größe', 'line', '', 'x'.repeat(300), 'a=b', 'q"']
const values = ['', 'api', 'a "quoted" one', 'back\\slash', 'ünï 🙂', 'line\nbreak', '{}', '\u0000']
const largest = 1 << 20

function attempt(random: Random): Attempt {
  const streams = Array.from({ length: random.below(4) }, () => makeStream(random))
  const isJson = random.once(2)
  const whole = isJson
    ? Buffer.from(writeJsonPush(streams, random.once(3) ? 1 : undefined))
    : encodeSnappy(bendBytes(random, writeProtobuf(streams)))
  const body = bendBytes(random, whole, isJson ? jsonPieces : undefined)
  return {
    input: () => `${isJson ? 'JSON' : 'protobuf'}, ${Buffer.from(body).toString('base64')}`,
    read: () => check(isJson ? runAtOnce(decodeJson(body)) : undone(body))
  }
}

export const fuzz = fuzzReading(attempt, error => isDbError(error) && error.status === 400)

function undone(body: Uint8Array): Push | undefined {
  return snappyLength(body) > largest ? undefined : runAtOnce(decodeProtobuf(body, 1n))
}

function makeStream(random: Random): TestStream {
  const pairs = (most: number) =>
    Object.fromEntries(Array.from({ length: random.below(most) }, () => [random.pick(names), random.pick(values)]))
  const entry = (): TestEntry => ({
    time: random.once(5) ? -1n : BigInt(random.below(2 ** 31)) * BigInt(random.below(2 ** 32)),
    line: random.pick(values).repeat(random.below(4)),
    ...(random.once(2) && { metadata: pairs(3) })
  })
  return { labels: pairs(4), entries: Array.from({ length: random.below(4) }, entry) }
}

/** Every row belongs to one stream, columns are whole and hold text only, metadata is JSON. */
function check(push: Push | undefined): void {
  if (push === undefined) return
  let row = 0
  for (const { first, end } of push.streams) {
    if (first !== row || end <= first) throw new Error(`a stream goes from ${first} to ${end} behind row ${row}`)
    row = end
  }
  if (row !== push.batch.rows) throw new Error(`the streams have ${row} of ${push.batch.rows} rows`)
  try {
    checkColumns(runAtOnce(columnsOf(push)), row)
  } catch (error) {
    if (!isDbError(error)) throw error
  }
  runAtOnce(itemsOf(push))
}
