// Push requests as a client encodes them, and decoded requests in the same form.

import { cell } from '../../../core/index.ts'
import { ProtoWriter } from '../../../core/wire/index.ts'
import type { Push } from '../../../plugins/logpush/decode/push.ts'

export interface TestEntry {
  /** Nanoseconds since 1970. */
  readonly time: bigint
  readonly line: string
  readonly metadata?: Readonly<Record<string, string>>
}

export interface TestStream {
  readonly labels: Readonly<Record<string, string>>
  readonly entries: readonly TestEntry[]
}

export function writeProtobuf(streams: readonly TestStream[]): Uint8Array {
  const out = new ProtoWriter()
  for (const { labels, entries } of streams) {
    const stream = new ProtoWriter().text(1, labelText(labels))
    for (const entry of entries) stream.data(2, writeEntry(entry))
    out.data(1, stream.uint(3, 7).bytes)
  }
  return out.bytes
}

function writeEntry({ time, line, metadata = {} }: TestEntry): Uint8Array {
  const seconds = time / 1_000_000_000n - (time % 1_000_000_000n < 0n ? 1n : 0n)
  const nanoseconds = time - seconds * 1_000_000_000n
  const stamp = new ProtoWriter()
  if (seconds !== 0n) stamp.int64(1, seconds)
  if (nanoseconds !== 0n) stamp.int64(2, nanoseconds)
  const out = new ProtoWriter().data(1, stamp.bytes).text(2, line)
  for (const [name, value] of Object.entries(metadata)) {
    out.data(3, new ProtoWriter().text(1, name).text(2, value).bytes)
  }
  return out.bytes
}

/** Quoted as JSON does, which Go reads the same. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `{${pairs.join(', ')}}`
}

export function writeJsonPush(streams: readonly TestStream[], space?: number): string {
  const body = {
    streams: streams.map(({ labels, entries }) => ({
      stream: labels,
      values: entries.map(({ time, line, metadata }) => [String(time), line, ...(metadata ? [metadata] : [])])
    }))
  }
  return JSON.stringify(body, undefined, space)
}

/** What was read, stream by stream; times as they are in the batch. */
export function contents({ batch, streams, time, line, metadata }: Push): TestStream[] {
  return streams.map(({ labels, first, end }) => ({
    labels: Object.fromEntries(labels),
    entries: Array.from({ length: end - first }, (_, i) => {
      const row = first + i
      const pairs = metadata.kinds[row] === cell.string ? JSON.parse(batch.text(metadata, row)) : undefined
      return { time: time.ints[row]!, line: batch.text(line, row), ...(pairs && { metadata: pairs }) }
    })
  }))
}
