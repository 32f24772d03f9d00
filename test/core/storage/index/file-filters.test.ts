import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import t from 'tap'
import type { ColumnData } from '../../../../core/model/batch.ts'
import { blockWords, mayHold } from '../../../../core/storage/embedded/index/bloom.ts'
import { readFilters } from '../../../../core/storage/embedded/index/file-filters.ts'
import { createFilterThread } from '../../../../core/storage/embedded/index/filter-thread.ts'
import { foldText } from '../../../../core/storage/embedded/index/fold.ts'
import { addTokens } from '../../../../core/storage/embedded/index/token.ts'
import { addValue } from '../../../../core/storage/embedded/index/value-hash.ts'
import { createRandom } from '../../../fuzz/random.ts'
import { temporaryFolder, text } from '../fixtures.ts'
import { writeRows } from '../write-rows.ts'

const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)
const words = [
  'GET',
  'Straße',
  'İstanbul',
  '\u212aelvin',
  'ΟΔΟΣ',
  'Привет',
  '日本',
  'x1',
  'Éa',
  'a\u{10400}',
  '200',
  'ﬀ'
]

function columnOf(values: readonly (string | undefined)[], isCoded: boolean): ColumnData {
  const { data } = text('s', values)
  if (!isCoded || data.kind !== 'bytes') return data
  const { valid, ...dictionary } = data
  const codes = Uint32Array.from(values, (_, i) => i)
  return { kind: 'dictionary', codes, dictionary, ...(valid && { valid }) }
}

t.test(`filters hold what DuckDB finds in the rows of each group (seed ${seed})`, async t => {
  const random = createRandom(seed)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const dir = temporaryFolder(t)
  const columns = [
    { name: 's', type: 'String' },
    { name: 'n', type: 'Int64' },
    { name: 'u', type: 'UInt8' },
    { name: '__group', type: 'UInt32' }
  ] as const
  for (const isGrouped of [true, false]) {
    const path = join(dir, `${isGrouped}.parquet`)
    const rows = 700
    const values = Array.from({ length: rows }, () =>
      random.once(9) ? undefined : `${random.pick(words)} ${random.pick(words)}${random.below(50)}`
    )
    const data = [
      columnOf(values, random.once(2)),
      { kind: 'fixed', values: BigInt64Array.from({ length: rows }, () => BigInt(random.below(2 ** 40)) - 2n ** 39n) },
      { kind: 'fixed', values: Uint8Array.from({ length: rows }, () => random.below(256)) },
      { kind: 'fixed', values: Uint32Array.from({ length: rows }, (_, i) => Math.floor(i / 130)) }
    ] as const
    const width = isGrouped ? 4 : 3
    const batch = { rows, columns: data.slice(0, width) }
    writeRows(path, columns.slice(0, width), [batch], isGrouped ? 130 : 300)
    const kinds = [
      ['s', 'terms'],
      ['s', 'folded_terms'],
      ['s', 'values'],
      ['n', 'values'],
      ['u', 'values']
    ] as const
    const asked = kinds.map(([column, kind]) => ({ column, kind, falsePositiveRate: 0.001 }))
    const { filters } = readFilters(path, asked)
    const group = isGrouped ? '__group' : '0'
    for (const [i, [column, kind]] of kinds.entries()) {
      t.equal(filters[i]!.length, isGrouped ? 6 : 1)
      const what = kind === 'values' ? `${column}::VARCHAR` : kind === 'terms' ? 's' : 'lower(s)'
      const select = `SELECT ${group}::INTEGER, ${what} FROM '${path}' WHERE ${column} IS NOT NULL`
      for (const [id, value] of (await duckdb.runAndReadAll(select)).getRows()) {
        const filter = filters[i]![Number(id)]!
        const missing: unknown[] = []
        const look = (low: number, high: number) => {
          if (!mayHold(filter, 0, filter.length / blockWords, low, high)) missing.push(value)
        }
        const bytes = Buffer.from(String(value))
        if (kind === 'values') addValue(bytes, 0, bytes.length, { add: look })
        else addTokens(bytes, { add: look })
        if (missing.length > 0) t.fail(`${column} ${kind}: ${missing[0]} is not in the filter of group ${id}`)
      }
    }
    const thread = createFilterThread(20)
    t.teardown(() => thread.close())
    t.strictSame((await thread.build({ path, asked })).filters, filters)
    await new Promise(resolve => setTimeout(resolve, 200))
    t.strictSame(
      (await thread.build({ path, asked })).filters,
      filters,
      'another one than the idle one, which has ended'
    )
    await t.rejects(thread.build({ path: `${path}.missing`, asked }), { code: 'StorageUnavailable', message: /ENOENT/ })
  }
})

t.test('of values the rate is how often a file is read for nothing, however many row groups it has', t => {
  const [groups, perGroup, falsePositiveRate] = [60, 200, 0.05]
  const path = join(temporaryFolder(t), 'values.parquet')
  const values = BigInt64Array.from({ length: groups * perGroup }, (_, i) => BigInt(i))
  const numbers = Uint32Array.from(values, value => Math.floor(Number(value) / perGroup))
  const columns = [
    { name: 'n', type: 'Int64' },
    { name: '__group', type: 'UInt32' }
  ] as const
  const data = [values, numbers].map(values => ({ kind: 'fixed', values }) as const)
  writeRows(path, columns, [{ rows: values.length, columns: data }], perGroup)
  const filters = readFilters(path, [{ column: 'n', kind: 'values', falsePositiveRate }]).filters[0]!
  const mayRead = (value: number) => {
    const bytes = Buffer.from(`${value}`)
    let may = false
    const look = (low: number, high: number) => {
      may = filters.some(filter => mayHold(filter!, 0, filter!.length / blockWords, low, high))
    }
    addValue(bytes, 0, bytes.length, { add: look })
    return may
  }
  t.equal(filters.length, groups)
  t.ok(Array.from(values, Number).every(mayRead))
  const absent = 2000
  const read = Array.from({ length: absent }, (_, i) => -1 - i).filter(mayRead).length
  t.ok(read < absent * falsePositiveRate * 1.5, `${read} of ${absent}`)
  t.end()
})

t.test('every character is in lower case as DuckDB has it, but for letters its Unicode does not know', async t => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  t.teardown(() => instance.closeSync())
  const duckdb = await instance.connect()
  const select = `SELECT chr(i::INTEGER), lower(chr(i::INTEGER)) FROM range(1, 1114111) r(i)
    WHERE NOT (i BETWEEN 55296 AND 57343) AND lower(chr(i::INTEGER)) <> chr(i::INTEGER)`
  const rows = (await duckdb.runAndReadAll(select)).getRows() as [string, string][]
  t.ok(rows.length > 1000)
  const different = rows.filter(
    ([char, lower]) => Buffer.from(foldText(Buffer.from(`${char}1`))).toString() !== `${lower}1`
  )
  t.strictSame(different, [])
})
