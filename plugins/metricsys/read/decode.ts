// Decodes a remote read request: its queries, and the response types that the client accepts.

import { DbError, endsStep, type Steps } from '../../../core/index.ts'
import { ProtoReader } from '../../../core/wire/index.ts'

type MatcherType = '=' | '!=' | '=~' | '!~'

export interface Matcher {
  readonly type: MatcherType
  readonly name: string
  readonly value: string
}

/** Times in milliseconds since 1970, both inclusive. */
export interface ReadQuery {
  readonly from: bigint
  readonly to: bigint
  readonly matchers: readonly Matcher[]
}

interface ReadRequest {
  readonly queries: readonly ReadQuery[]
  readonly answer: 'samples' | 'chunks'
  /** Whether the client also accepts SAMPLES. */
  readonly takesSamples: boolean
}

const matcherTypes: readonly MatcherType[] = ['=', '!=', '=~', '!~']
/** Matchers read in a step. */
const stepMatchers = 256
const answers = ['samples', 'chunks'] as const

/** Throws DbError `InvalidArguments` if the body is not valid protobuf, or if it accepts none of the response kinds that the server knows. */
export function* readRequest(bytes: Uint8Array): Steps<ReadRequest> {
  const queries: ReadQuery[] = []
  const accepted: number[] = []
  const reader = new ProtoReader(bytes)
  while (reader.next()) {
    if (reader.field === 1) queries.push(yield* readQuery(reader.message()))
    else if (reader.field === 2) reader.repeated(each => accepted.push(each.uint()))
    else reader.skip()
    yield
  }
  const answer =
    accepted.length === 0 ? 'samples' : accepted.map(type => answers[type]).find(type => type !== undefined)
  if (answer === undefined) {
    throw new DbError(
      'Unsupported',
      `none of the accepted response types ${accepted.join(', ')} is known, known are 0 (SAMPLES) and 1 (STREAMED_XOR_CHUNKS)`
    )
  }
  return { queries, answer, takesSamples: accepted.length === 0 || accepted.includes(0) }
}

function* readQuery(reader: ProtoReader): Steps<ReadQuery> {
  let from = 0n
  let to = 0n
  const matchers: Matcher[] = []
  for (let i = 0; reader.next(); i++) {
    if (reader.field === 1) from = reader.int64()
    else if (reader.field === 2) to = reader.int64()
    else if (reader.field === 3) matchers.push(readMatcher(reader.message()))
    else reader.skip()
    if (endsStep(i, stepMatchers)) yield
  }
  return { from, to, matchers }
}

function readMatcher(reader: ProtoReader): Matcher {
  let type = 0
  let name = ''
  let value = ''
  while (reader.next()) {
    if (reader.field === 1) type = reader.uint()
    else if (reader.field === 2) name = reader.text()
    else if (reader.field === 3) value = reader.text()
    else reader.skip()
  }
  const known = matcherTypes[type]
  if (known === undefined) throw reader.error(`a matcher of label ${name} has the unknown type ${type}`)
  return { type: known, name, value }
}
