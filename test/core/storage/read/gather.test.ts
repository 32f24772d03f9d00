// Samples of rows in memory are put together in steps, however many rows one series has.
import fc from 'fast-check'
import t from 'tap'
import type { ColumnData } from '../../../../core/model/batch.ts'
import { orderByTime } from '../../../../core/order-by-time.ts'
import { runAtOnce, type Steps } from '../../../../core/pace.ts'
import { gather } from '../../../../core/storage/embedded/read/gather.ts'
import type { SampleRows } from '../../../../core/storage/embedded/read/sample-rows.ts'
import { readSamples } from '../../../../core/storage/embedded/read/samples.ts'
import { WantedSeries } from '../../../../core/storage/embedded/read/wanted-series.ts'

const time = { id: 1, type: 'TimestampMillisecond', physical: 'at' } as const
const number = { id: 2, type: 'Float64', physical: 'v' } as const
const text = { id: 3, type: 'String', physical: 't' } as const
const everything = { wanted: new WantedSeries(Uint32Array.of(7)), time, from: 0, to: Number.POSITIVE_INFINITY }

function count<T>(steps: Steps<T>): { readonly result: T; readonly steps: number } {
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done) return { result: step.value, steps: count }
  }
}

/** Rows of series 7 at these times; each value is the number of its row. */
function rowsAt(times: Float64Array): SampleRows {
  const rows = times.length
  const texts = Buffer.from('x'.repeat(rows))
  const columns = new Map<number, ColumnData>([
    [time.id, { kind: 'fixed', values: times }],
    [number.id, { kind: 'fixed', values: Float64Array.from(times.keys()) }],
    [text.id, { kind: 'bytes', offsets: Uint32Array.from({ length: rows + 1 }, (_, i) => i), bytes: texts }]
  ])
  return { rows, seq: 0, op: 'put', tsids: new Uint32Array(rows).fill(7), columns }
}

t.test('rows are ordered by time, those of equal times as they came', async () => {
  const property = fc.property(fc.array(fc.nat(20), { maxLength: 60 }), fc.nat(10), (numbers, from) => {
    const start = Math.min(from, numbers.length)
    const order = runAtOnce(orderByTime(Float64Array.from(numbers), start))
    const expected = [...numbers.keys()].slice(start).sort((a, b) => numbers[a]! - numbers[b]!)
    return [...order].join() === expected.join()
  })
  fc.assert(property, { numRuns: 500 })
})

t.test('a long series out of order is sorted in steps', async t => {
  const rows = 400_000
  const times = Float64Array.from({ length: rows }, (_, i) => (i * 7_919) % rows)
  const query = { ...everything, values: [number] }
  const { result, steps } = count(gather([rowsAt(times)], query, { versions: true, merges: false }))
  t.ok(
    result.times.every((at, i) => at === i),
    'ascending'
  )
  t.ok(result.values[0]!.values.every((row, i) => times[row] === i))
  t.ok(steps > (2 * rows) / 16_384, `${steps} steps`)
})

t.test('texts are read in steps', async t => {
  const rows = 100_000
  const written = rowsAt(Float64Array.from({ length: rows }, (_, i) => i))
  const query = { ...everything, values: [text] }
  const { result, steps } = count(readSamples([written], query, { versions: true, merges: false }))
  t.equal(result[0]!.rows, rows)
  t.ok(steps >= rows / 256, `${steps} steps`)
})
