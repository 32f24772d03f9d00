import t from 'tap'
import type { Column, TableWrite } from '../../../core/model/batch.ts'
import { runAtOnce } from '../../../core/pace.ts'
import { checkColumns, checkSamples } from '../../../core/storage/check-columns.ts'
import { fuzz } from '../../fuzz/table-write.ts'
import { fixed, text, times } from './fixtures.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

function write(column: Partial<Column> & { readonly data: unknown }, rows = 2): TableWrite {
  const whole = { name: 'c', type: 'String', semantic: 'field', ...column } as Column
  return {
    table: 'm',
    rows,
    columns: [
      times(
        'at',
        Array.from({ length: rows }, (_, i) => i)
      ),
      whole
    ]
  }
}

t.test('columns that are not what they say are refused, naming plugin, table and column', async t => {
  const cases: [what: string, write: TableWrite, message: RegExp, code?: string][] = [
    [
      'a plain array as times',
      { table: 'm', rows: 1, columns: [{ ...times('at', [1]), data: { kind: 'fixed', values: [1n] } } as never] },
      /^plugin p, table m, column at: expected BigInt64Array, got Array$/
    ],
    [
      'a plain array',
      write({ type: 'Float64', data: { kind: 'fixed', values: [1, 2] } as never }),
      /expected Float64Array, got Array/
    ],
    [
      'another array',
      write({ type: 'Float64', data: { kind: 'fixed', values: new Float32Array(2) } }),
      /column c: expected Float64Array, got Float32Array/
    ],
    [
      'offsets that descend',
      write({ data: { kind: 'bytes', offsets: Uint32Array.of(0, 2, 1), bytes: bytes(97, 98) } }),
      /row 1 begins at byte 2 and ends at 1, offsets ascend/
    ],
    [
      'offsets beyond the bytes',
      write({ data: { kind: 'bytes', offsets: Uint32Array.of(0, 1, 9), bytes: bytes(97, 98) } }),
      /its offsets end at byte 9, there are 2/
    ],
    [
      'too few offsets',
      write({ data: { kind: 'bytes', offsets: Uint32Array.of(0, 1), bytes: bytes(97) } }),
      /its offsets: it has 2 elements, expected 3/
    ],
    [
      'a character cut between two rows',
      write({ data: { kind: 'bytes', offsets: Uint32Array.of(0, 1, 2), bytes: Buffer.from('ä') } }),
      /the text of row 0 is not UTF-8/,
      'InvalidArguments'
    ],
    [
      'text that is not UTF-8',
      write({ data: { kind: 'bytes', offsets: Uint32Array.of(0, 1, 2), bytes: bytes(97, 255) } }),
      /the text of row 1 is not UTF-8/,
      'InvalidArguments'
    ],
    [
      'a code beyond its dictionary',
      write({
        data: {
          kind: 'dictionary',
          codes: Uint32Array.of(0, 1),
          dictionary: { kind: 'bytes', offsets: Uint32Array.of(0, 1), bytes: bytes(97) }
        }
      }),
      /row 1 has code 1, its dictionary has 1 entries/
    ],
    [
      'a short bitmap',
      write({ ...text('c', ['a', 'b']), data: { ...text('c', ['a', 'b']).data, valid: bytes() } }),
      /0 bytes, expected 1/
    ],
    [
      'an unknown type',
      write({ type: 'Float16' as never, data: { kind: 'fixed', values: bytes(1, 2) } }),
      /unknown type Float16/
    ],
    [
      'a Boolean of 2',
      write({ type: 'Boolean', data: { kind: 'fixed', values: bytes(1, 2) } }),
      /row 1 is 2, a Boolean is 0 or 1/
    ],
    [
      'seconds that no file holds',
      write({ type: 'TimestampSecond', data: { kind: 'fixed', values: BigInt64Array.of(0n, 10n ** 13n) } }),
      /row 1 is 10000000000000, times in seconds reach from -9223372036854 to 9223372036854/,
      'InvalidArguments'
    ],
    [
      'an unknown option',
      { ...write(text('c', ['a', 'b'])), options: { colour: 'red' } as never },
      /unknown table option colour/
    ],
    [
      'an option of another type',
      { ...write(text('c', ['a', 'b'])), options: { append_mode: 'yes' } as never },
      /append_mode is yes, a string/
    ],
    [
      'a time that is null',
      { table: 'm', rows: 1, columns: [{ ...times('at', [1]), data: { ...times('at', [1]).data, valid: bytes(0) } }] },
      /the time of row 0 is null/
    ]
  ]
  for (const [what, each, message, code = 'Unexpected'] of cases) {
    t.throws(() => runAtOnce(checkColumns('p', each)), { code, message }, what)
  }
  runAtOnce(checkColumns('p', write(text('c', ['ä', undefined]))))
  runAtOnce(checkColumns('p', write(fixed('c', 'Int64', BigInt64Array.of(1n, 2n)))))
  const overNull = { kind: 'fixed', values: bytes(1, 128), valid: bytes(0b01) } as const
  runAtOnce(checkColumns('p', write({ type: 'Boolean', data: overNull })))
})

t.test('samples that belong to no key, and keys beyond their bytes, are refused', async t => {
  const keys = { count: 1, bytes: bytes(1, 2), starts: Uint32Array.of(0), ends: Uint32Array.of(2) }
  const samples = {
    kind: 'series',
    keys,
    samples: 1,
    series: Uint32Array.of(0),
    times: new BigInt64Array(1),
    values: new Float64Array(1),
    physicalTable: 'm'
  } as unknown as Parameters<typeof checkSamples>[1]
  runAtOnce(checkSamples('p', samples))
  const refuse = (change: object, message: RegExp) =>
    t.throws(() => runAtOnce(checkSamples('p', { ...samples, ...change })), { code: 'Unexpected', message })
  refuse({ series: Uint32Array.of(1) }, /row 0 belongs to key 1, there are 1/)
  refuse({ values: new Float32Array(1) }, /values: expected Float64Array, got Float32Array/)
  refuse({ times: new BigInt64Array(0) }, /times: it has 0 elements, expected at least 1/)
  refuse({ keys: { ...keys, ends: Uint32Array.of(3) } }, /key 0 is bytes 0 to 3 of 2/)
})

t.test('any columns are refused with a reason, or sound', async t => {
  const { broken } = fuzz(20, 5_000)
  t.equal(broken, undefined)
})

t.test('many rows are checked in steps, and errors are found whichever step their row belongs to', async t => {
  const rows = 100_000
  const whole = () => text('c', Array<string>(rows).fill('äb'))
  const run = (change: (data: { offsets: Uint32Array; bytes: Uint8Array }) => void) => {
    const column = whole()
    change(column.data as never)
    let steps = 0
    for (const _ of checkColumns('p', write(column, rows))) steps++
    return steps
  }
  t.ok(run(() => {}) >= 48, 'offsets and texts')
  for (const row of [1, 4095, 4096, 4097, 65_536, rows - 1]) {
    t.throws(
      () => run(({ offsets }) => offsets.set([row * 3 + 1], row)),
      { code: 'InvalidArguments', message: new RegExp(`text of row ${row - 1} is not UTF-8`) },
      `a character that is cut before row ${row}`
    )
    t.throws(() => run(({ bytes }) => bytes.set([0xff], row * 3 + 2)), {
      code: 'InvalidArguments',
      message: new RegExp(`text of row ${row} is not UTF-8`)
    })
    t.throws(() => run(({ offsets }) => offsets.set([0], row + 1)), {
      code: 'Unexpected',
      message: /offsets ascend|ascend/
    })
  }
  t.throws(() => run(({ offsets }) => offsets.set([rows * 3 + 1], rows)), { message: /its offsets end at byte/ })
})
