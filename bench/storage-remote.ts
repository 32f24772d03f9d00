// Samples of remote write requests through the store and the engine in process, a table for each metric over one physical table. The
// requests are read from a file as load.ts takes it and decoded outside of the time that is measured.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { loadConfig } from '../core/config/load.ts'
import type { RequestContext } from '../core/http/context.ts'
import { createLogger } from '../core/log/log.ts'
import { createMetrics } from '../core/metrics/metrics.ts'
import { timeColumn, valueColumn } from '../core/model/name.ts'
import type { SeriesWrite } from '../core/model/series.ts'
import { createStores, type Store } from '../core/storage/store.ts'
import { decodeSnappy, snappyLength, snappySlack } from '../core/wire/snappy.ts'
import { defaultPhysicalTable } from '../plugins/metricsys/write/columns.ts'
import { DecodeBuffer } from '../plugins/metricsys/write/decode/decode-buffer.ts'
import { decodeV1 } from '../plugins/metricsys/write/decode/v1.ts'
import { SeriesNames } from '../plugins/metricsys/write/series-name.ts'
import { finish, never, nothing, openEngine, resetPeak, rounds, timed } from './storage-measure.ts'

const writers = 4
/** Requests that are decoded ahead. */
const ahead = 40

const ctx: RequestContext = {
  db: 'public',
  user: { name: 'bench', mode: 'rw' },
  channel: 'internal',
  timezone: 'UTC',
  signal: never,
  log: createLogger({ ...loadConfig().config.logging, level: 'error', append_stdout: false, max_log_files: 0 }),
  plugin: 'bench',
  hints: { options: {} }
}

export async function measureRemote(folder: string, file: string): Promise<void> {
  const { bodies, items } = countCorpus(file)
  const corpus = openSync(file, 'r')
  const metrics = createMetrics()
  const engine = await openEngine(folder, metrics)
  const { config } = loadConfig()
  const store = createStores({ engine, config, metrics }).store
  const written = { ...nothing }
  const flushed = { ...nothing }
  const buffers = Array.from({ length: ahead }, () => new DecodeBuffer())
  resetPeak()
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [round, round + 1].map(part => Math.floor((bodies * part) / rounds))
    for (let at = from!; at < to!; at += ahead) {
      const count = Math.min(ahead, to! - at)
      const writes = buffers.slice(0, count).map(buffer => decode(readBody(corpus), buffer))
      await timed(written, () => writeAll(store, writes))
    }
    await timed(flushed, () => engine.maintain({ kind: 'flush' }, never))
  }
  closeSync(corpus)
  if (written.rows !== items) throw new Error(`${items} samples were sent, ${written.rows} were taken`)
  const table = engine.catalog.table('public', defaultPhysicalTable)!
  const tables = engine.catalog.tables('public').length - 1
  const note = `${bodies} requests, ${tables} metrics, ${writers} writers`
  await finish({
    name: 'remote',
    note,
    engine,
    metrics,
    table,
    written,
    flushed,
    targets: { rate: 1.5e6, atRest: 1.2 }
  })
}

/** The file is as long as the memory that is measured: it is read bit by bit. */
function countCorpus(file: string): { readonly bodies: number; readonly items: number } {
  const { items } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as { items: number }
  const corpus = openSync(file, 'r')
  let bodies = 0
  while (readBody(corpus).length > 0) bodies++
  closeSync(corpus)
  return { bodies, items }
}

/** The next body; empty at the end. */
function readBody(corpus: number): Uint8Array {
  const length = Buffer.alloc(4)
  if (readSync(corpus, length) < 4) return new Uint8Array()
  const body = new Uint8Array(length.readUInt32LE())
  readSync(corpus, body)
  return body
}

function decode(body: Uint8Array, buffer: DecodeBuffer): SeriesWrite {
  const length = decodeSnappy(body, buffer.reserveBody(snappyLength(body) + snappySlack))
  decodeV1(buffer, length)
  const names = new SeriesNames(false, () => ({ labels: 2_000, bytes: 1 << 22 }))
  return {
    kind: 'series',
    keys: buffer.keys,
    name: i => names.read(buffer.body, buffer.starts[i]!, buffer.ends[i]!),
    samples: buffer.samples,
    series: buffer.series,
    times: buffer.times,
    values: buffer.values,
    timeColumn,
    valueColumn,
    physicalTable: defaultPhysicalTable
  }
}

async function writeAll(store: Store, writes: SeriesWrite[]) {
  let rows = 0
  const write = async () => {
    for (let next = writes.shift(); next !== undefined; next = writes.shift()) {
      const result = await store.write(ctx, [next])
      rows += result.rows
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  return { rows, bytes: 0, files: 0 }
}
