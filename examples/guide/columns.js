import { textColumnOf } from 'weir-server'

/** @type {import('weir-server').TableWrite} */
export const weather = {
  table: 'weather',
  rows: 2,
  columns: [
    {
      name: 'time',
      type: 'TimestampMillisecond',
      semantic: 'timestamp',
      data: { kind: 'fixed', values: BigInt64Array.of(1767323045678n, 1767323046678n) }
    },
    // Text as bytes: row i is bytes[offsets[i] … offsets[i + 1]].
    {
      name: 'site',
      type: 'String',
      semantic: 'tag',
      data: { kind: 'bytes', offsets: Uint32Array.of(0, 5, 10), bytes: Buffer.from('northsouth') }
    },
    // Text that a protocol gives as strings anyway; undefined is null.
    { name: 'note', type: 'String', semantic: 'field', data: textColumnOf(['föhn', undefined]) },
    // Text that repeats: each once, and a code for each row.
    {
      name: 'sky',
      type: 'String',
      semantic: 'field',
      data: { kind: 'dictionary', codes: Uint32Array.of(0, 0), dictionary: textColumnOf(['clear']) }
    },
    // Nulls: bit i, from the least significant, is 1 where row i has a value. The second row has none.
    {
      name: 'degrees',
      type: 'Float64',
      semantic: 'field',
      data: { kind: 'fixed', values: Float64Array.of(3.5, 0), valid: Uint8Array.of(0b01) }
    },
    {
      name: 'price',
      type: 'Decimal(10, 2)',
      semantic: 'field',
      data: { kind: 'fixed', values: BigInt64Array.of(1250n, -7n) }
    },
    {
      name: 'raw',
      type: 'Json',
      semantic: 'field',
      data: textColumnOf(['{"a":[1,2]}', undefined])
    }
  ],
  options: { append_mode: true }
}
