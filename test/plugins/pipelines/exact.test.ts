// Values for columns that exist: converted to the column's type if that is exact, otherwise the item fails.
import fc from 'fast-check'
import t from 'tap'
import { type ColumnType, type Item, type ItemValue, type Table, Timestamp } from '../../../core/index.ts'
import { identity, run } from './sample-run.ts'

const types: readonly ColumnType[] = [
  ...(['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'] as const),
  ...(['Float32', 'Float64', 'Boolean', 'String', 'Json'] as const),
  ...(['TimestampSecond', 'TimestampMillisecond', 'TimestampMicrosecond', 'TimestampNanosecond'] as const)
]
const listed = 'version: 2\nprocessors: [{ epoch: { field: ts, resolution: ms } }]\n'
const pipelines = {
  identity,
  'version 2': `${listed}transform: [{ field: ts, type: 'time, ms', index: timestamp }]`,
  'automatic transform': listed
}

const near = (limit: bigint) => fc.bigInt({ min: limit - 3n, max: limit + 3n })
const limits = [0n, 127n, 255n, -128n, 2n ** 15n, 2n ** 24n, 2n ** 31n, 2n ** 32n, 2n ** 53n, -(2n ** 53n), 2n ** 62n]
const integer = fc.oneof(...limits.map(near), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
const float = fc.oneof(
  fc.double({ noNaN: true }),
  fc.float({ noNaN: true }),
  fc.integer({ min: -1000, max: 1000 }).map(n => n / 4),
  fc.constantFrom(0.1, 0.5, 5, 1e300, 16_777_217, -0.25, 9_007_199_254_740_992)
)
const text = fc.oneof(
  integer.map(String),
  float.map(String),
  fc.constantFrom(
    'true',
    'false',
    '007',
    '+5',
    '1.50',
    '',
    ' 1',
    '0x10',
    '1e400',
    '9007199254740993',
    'NaN',
    'nan',
    'x'
  )
)
const value: fc.Arbitrary<ItemValue> = fc.oneof(
  integer,
  float,
  text,
  fc.boolean(),
  integer.map(ns => new Timestamp(ns)),
  fc.constant<ItemValue>({ a: [1n] })
)

/** What a value says, whatever its type: numbers by their digits. */
function meaning(value: unknown, type: ColumnType | undefined): string {
  if (value instanceof Timestamp) return `time ${value.ns}`
  if (type?.startsWith('Timestamp')) return `time ${(value as bigint) * unit(type)}`
  if (typeof value === 'object') return 'object'
  if (typeof value === 'boolean') return value ? '1e0' : '0'
  const text = type === 'Float32' ? shortest(value as number) : String(value)
  if (text === 'true' || text === 'false') return text === 'true' ? '1e0' : '0'
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text)
  if (match === null) return text
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (/^0\d/.test(whole)) return text
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return '0'
  const shown = String(digits)
  const trimmed = shown.replace(/0+$/, '')
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + shown.length - trimmed.length}`
}

function isDigits(given: ItemValue, number: number): boolean {
  return typeof given !== 'object' && meaning(given, undefined) === meaning(number, undefined)
}

function shortest(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits))
    if (Math.fround(text) === value) return String(text)
  }
  return String(Number(value.toPrecision(9)))
}

function unit(type: string): bigint {
  const units = { Second: 10n ** 9n, Millisecond: 10n ** 6n, Microsecond: 1000n, Nanosecond: 1n }
  return units[type.slice('Timestamp'.length) as keyof typeof units]
}

for (const [name, pipeline] of Object.entries(pipelines)) {
  t.test(`${name}: what is stored says what was sent, or the item failed`, async t => {
    const stored = { kept: 0, failed: 0 }
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.array(value, { minLength: 1, maxLength: 8 }), (type, values) => {
        const existing = () => ({ columns: [{ name: 'v', type, semantic: 'field' }] }) as unknown as Table
        const items = values.map((v, i): Item => ({ ts: BigInt(i), n: BigInt(i), v }))
        const { shown, skipped } = run(pipeline, items, { existing, skipError: true })
        const rows = shown[0]?.rows ?? []
        if (rows.length + skipped.count !== items.length) throw new Error(`${rows.length} and ${skipped.count}`)
        stored.kept += rows.length
        stored.failed += skipped.count
        for (const row of rows) {
          const given = values[Number(row['n'])]!
          if (type === 'Json') continue
          const isRaw = type.startsWith('Timestamp') && typeof given === 'bigint'
          const flat = typeof given === 'object' && !(given instanceof Timestamp)
          // Floats are also right where they are the very number, whatever their shortest digits.
          const number = typeof given === 'object' ? Number.NaN : Number(given)
          const isNumber = typeof given === 'bigint' ? BigInt(number) === given : isDigits(given, number)
          const isSame = type.startsWith('Float') && isNumber && number === row['v']
          if (flat || isSame) continue
          const found = isRaw ? String(row['v']) : meaning(row['v'], type)
          const wanted = isRaw ? String(given) : meaning(given, undefined)
          if (found !== wanted) throw new Error(`${type}: ${String(given)} became ${String(row['v'])}`)
        }
      }),
      { numRuns: Number(process.env['WEIR_PROPERTY_RUNS'] ?? 300), seed: 15 }
    )
    t.ok(stored.kept > 100 && stored.failed > 100, `${stored.kept} kept, ${stored.failed} failed`)
  })
}

t.test('values that lose nothing are welcome in columns of another type', async t => {
  const cases: readonly [ColumnType, ItemValue, unknown][] = [
    ['Float64', 1n, 1],
    ['Float64', '2.75', 2.75],
    ['Float32', 0.1, Math.fround(0.1)],
    ['Int64', 2, 2n],
    ['Int8', -128n, -128],
    ['Int64', '-5', -5n],
    ['Boolean', 1n, true],
    ['Boolean', 'false', false],
    ['String', 5n, '5'],
    ['String', true, 'true']
  ]
  for (const [type, value, wanted] of cases) {
    const existing = () => ({ columns: [{ name: 'v', type, semantic: 'field' }] }) as unknown as Table
    t.equal(run(identity, [{ v: value }], { existing }).shown[0]?.rows[0]?.['v'], wanted, `${type} ${String(value)}`)
  }
})

t.test('values that would lose something fail their item and are named', async t => {
  const cases: readonly [ColumnType, ItemValue][] = [
    ['Int64', 2.75],
    ['Boolean', 0.1],
    ['Boolean', 5n],
    ['Float64', 9_007_199_254_740_993n],
    ['Float32', 16_777_217n],
    ['Float32', 1e300],
    ['Int8', 300n],
    ['Int64', '007'],
    ['Float64', '9007199254740993'],
    ['TimestampMillisecond', new Timestamp(1n)]
  ]
  for (const [type, value] of cases) {
    const existing = () => ({ columns: [{ name: 'v', type, semantic: 'field' }] }) as unknown as Table
    for (const [name, pipeline] of Object.entries(pipelines)) {
      t.throws(
        () => run(pipeline, [{ ts: 1n, v: value }], { existing }),
        {
          code: 'InvalidArguments',
          message: new RegExp(`item 0: .* column: v, expected datatype: ${type}, .* value: `)
        },
        `${name}: ${type} ${String(value)}`
      )
    }
  }
})
