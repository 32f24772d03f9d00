import {
  decodeSnappy,
  encodeSnappy,
  ProtoReader,
  ProtoWriter,
  snappyLength,
  snappySlack
} from '../../../core/wire/index.ts'
// Encodes and decodes remote write and remote read messages field by field, for tests.

export type Labels = Readonly<Record<string, string>>

export interface TestSeries {
  readonly labels: Labels
  /** Time in milliseconds, then the number or its bits. */
  readonly samples?: readonly (readonly [time: number, value: number | bigint])[]
  readonly exemplars?: readonly { readonly labels: Labels; readonly value: number; readonly time: number }[]
  readonly histograms?: readonly Uint8Array[]
  readonly metadata?: { readonly type: number; readonly help?: string; readonly unit?: string }
}

export interface TestMetadata {
  readonly metric: string
  readonly type: number
  readonly help?: string
  readonly unit?: string
}

export function labelsV1(labels: Labels): ProtoWriter {
  const out = new ProtoWriter()
  for (const [name, value] of Object.entries(labels)) out.data(1, new ProtoWriter().text(1, name).text(2, value).bytes)
  return out
}

/** `WriteRequest`, not compressed. */
export function writeV1(series: readonly TestSeries[], metadata: readonly TestMetadata[] = []): Uint8Array {
  const out = new ProtoWriter()
  for (const each of series) {
    const inner = labelsV1(each.labels)
    for (const [time, value] of each.samples ?? []) inner.data(2, sample(time, value))
    for (const { labels, value, time } of each.exemplars ?? []) {
      inner.data(3, labelsV1(labels).double(2, value).int64(3, BigInt(time)).bytes)
    }
    for (const histogram of each.histograms ?? []) inner.data(4, histogram)
    out.data(1, inner.bytes)
  }
  for (const { metric, type, help = '', unit = '' } of metadata) {
    out.data(3, new ProtoWriter().uint(1, type).text(2, metric).text(4, help).text(5, unit).bytes)
  }
  return out.bytes
}

/** `io.prometheus.write.v2.Request`, not compressed. */
export function writeV2(series: readonly TestSeries[]): Uint8Array {
  const symbols = ['']
  const ref = (text: string) => {
    const at = symbols.indexOf(text)
    return at >= 0 ? at : symbols.push(text) - 1
  }
  const refs = (labels: Labels) => {
    const out = new ProtoWriter()
    for (const [name, value] of Object.entries(labels)) out.varint(ref(name)).varint(ref(value))
    return out.bytes
  }
  const body = new ProtoWriter()
  for (const each of series) {
    const inner = new ProtoWriter().data(1, refs(each.labels))
    for (const [time, value] of each.samples ?? []) inner.data(2, sample(time, value))
    for (const histogram of each.histograms ?? []) inner.data(3, histogram)
    for (const { labels, value, time } of each.exemplars ?? []) {
      inner.data(4, new ProtoWriter().data(1, refs(labels)).double(2, value).int64(3, BigInt(time)).bytes)
    }
    if (each.metadata !== undefined) {
      const { type, help = '', unit = '' } = each.metadata
      inner.data(5, new ProtoWriter().uint(1, type).uint(3, ref(help)).uint(4, ref(unit)).bytes)
    }
    body.data(5, inner.bytes)
  }
  const out = new ProtoWriter()
  for (const symbol of symbols) out.text(4, symbol)
  return out.raw(body.bytes).bytes
}

function sample(time: number, value: number | bigint): Uint8Array {
  const out = new ProtoWriter()
  if (typeof value === 'number') out.double(1, value)
  else out.bits64(1, Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)))
  return out.int64(2, BigInt(time)).bytes
}

export interface TestMatcher {
  readonly type: '=' | '!=' | '=~' | '!~'
  readonly name: string
  readonly value: string
}

/** `ReadRequest`, compressed. */
export function readQueries(
  queries: readonly { readonly from: number; readonly to: number; readonly matchers: readonly TestMatcher[] }[],
  accepted: readonly number[] = []
): Uint8Array {
  const out = new ProtoWriter()
  for (const { from, to, matchers } of queries) {
    const query = new ProtoWriter().int64(1, BigInt(from)).int64(2, BigInt(to))
    for (const { type, name, value } of matchers) {
      query.data(3, new ProtoWriter().uint(1, ['=', '!=', '=~', '!~'].indexOf(type)).text(2, name).text(3, value).bytes)
    }
    out.data(1, query.bytes)
  }
  for (const type of accepted) out.uint(2, type)
  return encodeSnappy(out.bytes)
}

export interface FoundSeries {
  readonly labels: Labels
  /** Times in milliseconds and the bits of the numbers. */
  readonly samples: (readonly [time: number, bits: bigint])[]
  readonly histograms: Uint8Array[]
}

/** The results of a `ReadResponse`, one list for each query. */
export function readResults(body: Uint8Array): FoundSeries[][] {
  const inflated = new Uint8Array(snappyLength(body) + snappySlack)
  const reader = new ProtoReader(inflated, 0, decodeSnappy(body, inflated))
  const results: FoundSeries[][] = []
  while (reader.next()) {
    const result: FoundSeries[] = []
    for (const inner = reader.message(); inner.next(); ) result.push(readFound(inner.message()))
    results.push(result)
  }
  return results
}

function readFound(reader: ProtoReader): FoundSeries {
  const found: FoundSeries = { labels: {}, samples: [], histograms: [] }
  while (reader.next()) {
    if (reader.field === 1) readLabel(reader.message(), found.labels as Record<string, string>)
    else if (reader.field === 4) found.histograms.push(reader.data())
    else {
      let [time, bits] = [0, 0n]
      for (const inner = reader.message(); inner.next(); ) {
        if (inner.field === 1) bits = inner.bits64()
        else time = Number(inner.int64())
      }
      found.samples.push([time, bits])
    }
  }
  return found
}

export function readLabel(reader: ProtoReader, into: Record<string, string>): void {
  let [name, value] = ['', '']
  while (reader.next()) {
    if (reader.field === 1) name = reader.text()
    else value = reader.text()
  }
  into[name] = value
}

/** The bits of a number. */
export function bitsOf(value: number): bigint {
  return new BigUint64Array(Float64Array.of(value).buffer)[0]!
}

/** What says that a series ended. */
export const staleBits = 0x7ff0000000000002n
