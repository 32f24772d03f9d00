import fc from 'fast-check'
import t from 'tap'
import { bitmap, type ColumnData } from '../../../core/model/batch.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { KeyStore } from '../../../core/storage/embedded/series/key-store.ts'
import { SeriesRegistry } from '../../../core/storage/embedded/series/series.ts'
import { SeriesKeyWriter } from '../../../core/storage/embedded/series/series-key.ts'
import { SeriesOrder } from '../../../core/storage/embedded/series/series-order.ts'
import { resolveSeries } from '../../../core/storage/embedded/series/tags.ts'
import { text } from './fixtures.ts'

type Values = readonly (string | undefined)[]

function plain(values: Values): ColumnData {
  return text('x', values).data
}

/** Codes of the values' own dictionary; its bytes do not begin at 0. */
function coded(values: Values): ColumnData {
  const distinct = ['unused', ...new Set(values.map(value => value ?? ''))]
  const whole = plain(distinct)
  if (whole.kind !== 'bytes') throw new Error('text is bytes')
  const dictionary = { kind: 'bytes' as const, offsets: whole.offsets.subarray(1), bytes: whole.bytes }
  const codes = Uint32Array.from(values, value => distinct.indexOf(value ?? '', 1) - 1)
  return { kind: 'dictionary', codes, dictionary, ...nulls(values) }
}

/** Two bytes a value, for values of at most two characters. */
function fixedWidth(values: Values): ColumnData {
  return { kind: 'fixed', values: Uint16Array.from(values, number), ...nulls(values) }
}

function number(value: string | undefined): number {
  return Buffer.from((value ?? '').padEnd(2, '\0')).readUInt16LE()
}

function nulls(values: Values) {
  const valid = bitmap(values.length, false)
  values.forEach((value, i) => {
    if (value !== undefined) valid[i >> 3]! |= 1 << (i & 7)
  })
  return { valid }
}

t.test(
  'rows of the same tags get the same number, whatever came before them and however the tags are laid out',
  async () => {
    const value = fc.option(fc.constantFrom('', 'a', 'b', 'ab'), { nil: undefined })
    const row = fc.tuple(value, value, value)
    const batch = fc.record({
      table: fc.constantFrom(undefined, 1, 2),
      rows: fc.array(row, { minLength: 1, maxLength: 12 })
    })
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 12 }), batches => {
        const registry = new SeriesRegistry()
        const known = new Map([['[null,null,null,null]', 0]])
        for (const { table, rows } of batches) {
          const [first, second, third] = [0, 1, 2].map(tag => rows.map(values => values[tag]))
          const tags = [plain(first!), coded(second!), fixedWidth(third!)].map((data, i) => ({
            id: i + 1,
            rows: rows.length,
            data
          }))
          // Given out of order: keys are made in the order of the ids.
          const found = runAtOnce(resolveSeries(registry, tags.toReversed(), rows.length, { table }))
          const expected = rows.map(([a, b, c]) => {
            const key = JSON.stringify([table ?? null, a ?? null, b ?? null, c === undefined ? null : number(c)])
            if (!known.has(key)) known.set(key, known.size)
            return known.get(key)!
          })
          if (found.join() !== expected.join()) return false
        }
        return registry.size === known.size
      }),
      { numRuns: 300 }
    )
  }
)

t.test('a row is compared with a key to its last byte', async t => {
  const keys = new SeriesKeyWriter([
    { id: 1, rows: 4, data: plain(['host', 'host', 'hos', undefined]) },
    { id: 300, rows: 4, data: plain(['x', undefined, 'x', 'x']) }
  ])
  keys.write(0)
  const key = keys.bytes.slice(0, keys.length)
  const view = (bytes: Uint8Array) => new DataView(bytes.buffer)
  t.same(
    [0, 1, 2, 3].map(row => keys.equals(row, view(key), 0, key.length)),
    [true, false, false, false]
  )
  for (let i = 0; i < key.length; i++) {
    const other = key.slice()
    other[i]! ^= 1
    t.equal(keys.equals(0, view(other), 0, other.length), false, `byte ${i}`)
    t.equal(keys.equals(0, view(key), 0, i), false, `only ${i} bytes`)
  }
})

t.test('the series that followed last time is expected to follow again', async t => {
  const order = new SeriesOrder()
  t.equal(order.next, undefined)
  for (const series of [5, 900, 7, 5]) order.add(series)
  t.equal(order.next, 900)
  order.add(7)
  t.equal(order.next, 5)
  for (const series of [5, 8, 5]) order.add(series)
  t.equal(order.next, 8, 'the last time counts')
})

t.test('a guess of a series that is not there yet is not a match', async t => {
  const tags = [{ id: 1, rows: 1, data: plain(['a']) }]
  t.same([...runAtOnce(resolveSeries(new SeriesRegistry(), tags, 1))], [1])
  t.equal(new SeriesRegistry().is(1, new SeriesKeyWriter(tags), 0), false)
})

t.test('whose each series is, is told of all there are, in memory that threads share, and stays as it was told', t => {
  const registry = new SeriesRegistry()
  const told: Uint32Array[] = [registry.owners()]
  for (let batch = 0; batch < 6; batch++) {
    const hosts = Array.from({ length: 3 ** batch }, (_, i) => `h${i}`)
    runAtOnce(
      resolveSeries(registry, [{ id: 2, data: plain(hosts), rows: hosts.length }], hosts.length, { table: 20 + batch })
    )
    told.push(registry.owners())
  }
  const expected = [
    0,
    ...Array.from({ length: 6 }, (_, batch) => new Array<number>(3 ** batch).fill(20 + batch)).flat()
  ]
  for (const owners of told) {
    t.same([...owners], expected.slice(0, owners.length))
    t.ok(owners.buffer instanceof SharedArrayBuffer)
  }
  t.equal(told.at(-1)!.length, registry.size)
  t.end()
})

t.test('rows with many tags are looked up in steps of few rows', t => {
  const column = { kind: 'fixed', values: new Float64Array(2_000) } as const
  const tags = Array.from({ length: 1_000 }, (_, i) => ({
    id: i + 1,
    data: column,
    rows: 2_000
  }))
  const steps = [...resolveSeries(new SeriesRegistry(), tags, 2_000)].length
  t.ok(steps >= 100, `${steps} steps for two million tags`)
  t.end()
})

/** Keys that all hash to 0 by steps of four bytes without a seed, as anybody who reads the code can make them. */
function collidingKeys(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const words = Int32Array.of(i, 0x61626364, 0)
    let hash = 0x811c9dc5 ^ words.byteLength
    for (const word of words.subarray(0, 2)) {
      const mixed = Math.imul(hash ^ word, 0x9e3779b1)
      hash = mixed ^ (mixed >>> 15)
    }
    // The last word undoes all of it.
    words[2] = hash
    return new Uint8Array(words.buffer)
  })
}

t.test('nobody can make series that the registry has to tell apart one by one', t => {
  const registry = new SeriesRegistry()
  const { equals } = KeyStore.prototype
  let compared = 0
  t.intercept(KeyStore.prototype, 'equals', {
    value(this: KeyStore, ...args: Parameters<typeof equals>) {
      compared++
      return equals.apply(this, args)
    }
  })
  for (const key of collidingKeys(2_000)) {
    if (registry.find(key, 0, key.length) !== undefined) t.fail('a new key is known')
    registry.add(key, 0, key.length)
  }
  t.ok(compared < 100, `${compared} comparisons`)
  t.end()
})
