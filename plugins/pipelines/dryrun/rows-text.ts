// Columns as rows of JSON that name type and role of every cell.
import { type Column, DbError, isTimestamp, isValid, type TableWrite, writeJson } from '../../../core/compute.ts'

/** One element per write. */
export function writesText(writes: readonly TableWrite[]): string {
  return `[${writes.map(writeText).join(',')}]`
}

function writeText(write: TableWrite): string {
  const shown = write.columns.map(column => ({
    column,
    name: JSON.stringify(column.name),
    type: JSON.stringify(typeName(column)),
    semantic: JSON.stringify(column.semantic.toUpperCase())
  }))
  const schema = shown.map(({ column, name, type, semantic }) => {
    const fulltext = column.index?.kind === 'fulltext'
    return `{"name":${name},"data_type":${type},"column_type":${semantic},"fulltext":${fulltext}}`
  })
  const rows = Array.from({ length: write.rows }, (_, row) => {
    const cells = shown.map(({ column, name, type, semantic }) => {
      return `{"key":${name},"value":${valueText(column, row)},"data_type":${type},"semantic_type":${semantic}}`
    })
    return `[${cells.join(',')}]`
  })
  const table = JSON.stringify(write.table)
  return `{"table_name":${table},"schema":[${schema.join(',')}],"rows":[${rows.join(',')}]}`
}

/** `INT32`, `TIMESTAMP_MILLISECOND` … */
function typeName({ type }: Column): string {
  return isTimestamp(type) ? type.replace('Timestamp', 'TIMESTAMP_').toUpperCase() : type.toUpperCase()
}

function valueText({ data, type }: Column, row: number): string {
  if (!isValid(data.valid, row)) return 'null'
  if (data.kind === 'fixed') {
    const value = data.values[row]!
    if (type === 'Boolean') return value === 1 ? 'true' : 'false'
    return typeof value === 'bigint' || !type.startsWith('Float') ? String(value) : writeJson(Number(value))
  }
  if (data.kind === 'dictionary') throw new DbError('Internal', 'pipelines write no dictionaries')
  const text = Buffer.from(data.bytes.subarray(data.offsets[row]!, data.offsets[row + 1]!)).toString()
  return type === 'Json' ? text : JSON.stringify(text)
}
