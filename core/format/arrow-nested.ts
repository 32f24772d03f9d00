// Lists and structs as Arrow: offsets and one child, or one child per field.
import type * as Arrow from 'apache-arrow'
import { isValid, type ResultVector } from '../model/batch.ts'
import type { NestedField } from '../model/nested-type.ts'
import { type ArrowColumn, nulls } from './arrow-layout.ts'

/** A column of lists whose items are laid out as `item`. */
export function arrowList(library: typeof Arrow, item: ArrowColumn): ArrowColumn {
  const type = new library.List(new library.Field('item', item.type, true))
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const valueOffsets = new Int32Array(rows + 1)
      const items: unknown[] = []
      for (let i = 0; i < rows; i++) {
        if (isValid(nullBitmap, i)) for (const value of vector.values[i] as readonly unknown[]) items.push(value)
        valueOffsets[i + 1] = items.length
      }
      const child = item.data({ values: items }, items.length)
      return library.makeData({ type, length: rows, nullCount, nullBitmap, valueOffsets, child })
    }
  }
}

interface ArrowField extends Pick<NestedField, 'name'> {
  readonly layout: ArrowColumn
}

/** A column of objects with these members. */
export function arrowStruct(library: typeof Arrow, fields: readonly ArrowField[]): ArrowColumn {
  const type = new library.Struct(fields.map(({ name, layout }) => new library.Field(name, layout.type, true)))
  return {
    type,
    data(vector, rows) {
      const { nullBitmap, nullCount } = nulls(vector, rows)
      const children = fields.map(({ name, layout }) => layout.data(members(vector, rows, name), rows))
      return library.makeData({ type, length: rows, nullCount, nullBitmap, children })
    }
  }
}

function members({ values, valid }: ResultVector, rows: number, name: string): ResultVector {
  const picked = Array.from({ length: rows }, (_, i) => {
    const value = isValid(valid, i) ? (values[i] as Readonly<Record<string, unknown>> | null) : null
    return value?.[name] ?? null
  })
  return { values: picked }
}
