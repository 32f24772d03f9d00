// Random histories of two tables: what fast-check draws.
import fc from 'fast-check'
import type { TableOptions } from '../../../core/model/table.ts'

export interface TableSpec {
  readonly options: TableOptions
  readonly tags: number
}

/** Small numbers that choose values: what they mean depends on the columns the table has when the step is taken. */
export interface RowSeed {
  readonly at: number
  readonly cells: readonly number[]
}

export type Step =
  | {
      readonly do: 'write'
      readonly tables: readonly number[]
      readonly rows: readonly RowSeed[]
      readonly without: number
    }
  | { readonly do: 'delete'; readonly table: number; readonly rows: readonly RowSeed[] }
  | { readonly do: 'flush' | 'compact'; readonly table: number | undefined }
  | { readonly do: 'read' | 'crash' | 'restart' }
  | {
      readonly do:
        | 'add_field'
        | 'add_default'
        | 'retype'
        | 'describe'
        | 'add_tag'
        | 'add_to_all'
        | 'drop_field'
        | 'recreate'
        | 'expire'
        | 'expire_all'
        | 'rename'
        | 'set_skip_wal'
        | 'keep_all'
        | 'truncate'
      readonly table: number
      readonly which: number
    }

const table = fc.integer({ min: 0, max: 1 })
const rows = fc.array(fc.record({ at: fc.nat(11), cells: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }) }), {
  minLength: 1,
  maxLength: 6
})
const write: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('write'),
  tables: fc.constantFrom([0], [1], [0, 1], [1, 0], [0, 0]),
  rows,
  without: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(255) })
})
const places: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('flush', 'flush', 'compact'),
  table: fc.option(table, { nil: undefined })
})
const change: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(
    ...(['add_field', 'add_field', 'add_tag', 'add_to_all', 'drop_field', 'drop_field'] as const),
    ...(['add_default', 'retype', 'describe'] as const),
    ...(['recreate', 'expire', 'expire_all', 'rename', 'set_skip_wal', 'keep_all', 'truncate'] as const)
  ),
  table,
  which: fc.nat(3)
})

/** What becomes of a few columns whose rows come before, between and after changes of them. */
export const columnSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: write },
    { weight: 6, arbitrary: columnChange() },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom('read', 'flush', 'compact', 'crash', 'restart'),
        table: fc.constant(undefined)
      }) as fc.Arbitrary<Step>
    }
  ),
  { minLength: 4, maxLength: 20, size: 'max' }
)

function columnChange(): fc.Arbitrary<Step> {
  const what = fc.constantFrom(
    ...(['add_default', 'add_default', 'retype', 'retype', 'retype'] as const),
    ...(['add_field', 'drop_field', 'describe', 'rename'] as const)
  )
  return fc.record({ do: what, table: fc.constant(0), which: fc.constantFrom(2, 2, 3) })
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: write },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete'), table, rows }) as fc.Arbitrary<Step> },
    { weight: 4, arbitrary: places },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constantFrom('read', 'read', 'crash', 'restart') }) as fc.Arbitrary<Step>
    },
    { weight: 3, arbitrary: change }
  ),
  { minLength: 4, maxLength: 25, size: 'max' }
)
