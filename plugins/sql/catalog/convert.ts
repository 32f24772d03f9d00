// Which types a column may change to, and whether what is stored can follow.
import {
  type ColumnType,
  DbError,
  integerSize,
  isTimestamp,
  sqlTypeName,
  type Table,
  type TableColumn,
  timeUnit,
  unitsPerSecond
} from '../../../core/index.ts'
import { invalid, unsupported } from '../error.ts'
import { ownPlan, privileged, readRows, runPlan, type Session } from '../session.ts'

/** Whether any value converts, or every one has to be looked at. Throws when no value would, or would lose something. */
export function conversion(table: Table, { name, type, semantic }: TableColumn, to: ColumnType): 'free' | 'checked' {
  if (semantic !== 'field') {
    const what = semantic === 'tag' ? 'primary key' : 'time index'
    throw invalid(`column ${name} of table ${table.name} is part of the ${what}: its type cannot change`)
  }
  const host = table.options.physical_table
  if (host !== undefined) {
    throw unsupported(
      `column ${name} of table ${table.name} cannot become ${to}: it lies in the physical table ${host}, where other tables may share it. Add a column of another name, or make a table without physical_table`
    )
  }
  const found = between(type, to)
  if (found !== undefined) return found
  throw invalid(
    `column ${name} of table ${table.name} cannot change from ${sqlTypeName(type)} to ${sqlTypeName(to)}: values would be lost`
  )
}

function between(from: ColumnType, to: ColumnType): 'free' | 'checked' | undefined {
  const [a, b] = [integerSize(from), integerSize(to)]
  if (a && b) return b.bits > a.bits && (b.signed || !a.signed) ? 'free' : 'checked'
  if (to === 'String') return from === 'Binary' ? undefined : 'free'
  if (isTimestamp(from) && isTimestamp(to)) {
    return unitsPerSecond[timeUnit(to)] > unitsPerSecond[timeUnit(from)] ? 'checked' : undefined
  }
  const number = a !== undefined || from === 'Boolean'
  if (to === 'Float64') return number || from === 'Float32' || from.startsWith('Decimal') ? 'free' : ifText(from)
  if (to === 'Float32') return number && (a?.bits ?? 1) <= 16 ? 'free' : ifText(from)
  if (from === 'Boolean' && b) return 'free'
  if (to.startsWith('Decimal')) return a || (from.startsWith('Decimal') && isWider(from, to)) ? 'checked' : ifText(from)
  if (from === 'Date' && isTimestamp(to)) return 'checked'
  return to === 'Binary' ? undefined : ifText(from)
}

/** Text may hold anything. */
function ifText(from: ColumnType): 'checked' | undefined {
  return from === 'String' ? 'checked' : undefined
}

function isWider(from: ColumnType, to: ColumnType): boolean {
  const scale = (type: string) => Number(/, (\d+)/.exec(type)![1])
  return scale(to) >= scale(from)
}

/** Throws when some stored value does not convert. */
export async function checkConversion(
  session: Session,
  table: Table,
  column: TableColumn,
  to: ColumnType
): Promise<void> {
  const { dialect } = session.store
  const value = dialect.quoteName(column.physical)
  const head = `SELECT count(*), any_value(${dialect.text(value)}) FROM `
  const text = `${head}t WHERE ${value} IS NOT NULL AND ${dialect.tryCast(value, to)} IS NULL`
  const relations = [{ start: head.length, end: head.length + 1, table, alias: 't' }]
  const query = { kind: 'sql' as const, text, relations, timezone: 'UTC' }
  const [row] = await readRows(await runPlan(privileged(session), ownPlan(query)))
  if (Number(row?.[0]) === 0) return
  throw new DbError(
    'InvalidArguments',
    `column ${column.name} of table ${table.name} cannot become ${sqlTypeName(to)}: ${row?.[0]} of its values do not convert, for example ${JSON.stringify(String(row?.[1]).slice(0, 60))}`,
    { quotesValues: true }
  )
}
