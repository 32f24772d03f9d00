// Rows as lines: the first time is the axis, every number a line, for each combination of texts.
import type { SqlResult } from '../../api/sql.ts'
import { isTime, readTicks } from '../../time.ts'
import type { Line } from './line.ts'

/** Names of columns; those that are absent are found by their types. */
export interface PickedColumns {
  readonly time?: string
  readonly values?: readonly string[]
  /** A line for each combination of their values. */
  readonly by?: readonly string[]
}

export function linesOf(
  { columns, rows }: Pick<SqlResult, 'columns' | 'rows'>,
  picked: PickedColumns = {}
): readonly Line[] {
  const named = columns.findIndex(({ name, type }) => name === picked.time && isTime(type))
  const time = named >= 0 ? named : columns.findIndex(({ type }) => isTime(type))
  if (time < 0) return []
  const timeType = columns[time]!.type
  const isPicked = (names: readonly string[] | undefined, name: string, byType: boolean) =>
    names === undefined ? byType : names.includes(name)
  const numbers = columns.flatMap(({ name, type }, i) => {
    const isNumber = /^(U?Int|Float|Decimal)/.test(type)
    return isNumber && isPicked(picked.values, name, true) && picked.by?.includes(name) !== true ? [i] : []
  })
  const texts = columns.flatMap(({ name, type }, i) =>
    isPicked(picked.by, name, type === 'String') && i !== time ? [i] : []
  )
  const lines = new Map<string, { readonly name: string; readonly points: [number, number | null][] }>()
  for (const row of rows) {
    if (row[time] === null) continue
    const group = texts.map(i => String(row[i])).join(', ')
    for (const i of numbers) {
      const name = [group, numbers.length > 1 || group === '' ? columns[i]!.name : ''].filter(Boolean).join(' ')
      let line = lines.get(name)
      if (line === undefined) {
        line = { name, points: [] }
        lines.set(name, line)
      }
      line.points.push([readTicks(row[time], timeType) / 1000, row[i] === null ? null : Number(row[i])])
    }
  }
  return Array.from(lines.values(), ({ name, points }) => {
    points.sort((a, b) => a[0] - b[0])
    return { name, times: points.map(([at]) => at), values: points.map(([, value]) => value) }
  })
}
