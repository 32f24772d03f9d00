// The CREATE TABLE statement for a pipeline's table.
import { type ColumnIndex, DbError, sqlTypeName, timeColumn } from '../../../core/compute.ts'
import type { Pipeline, TransformColumn } from '../pipeline.ts'

/** The statement for a table of that name. Throws DbError `InvalidArguments` when the columns depend on the data. */
export function inferredDdl(pipeline: Pipeline, table: string): string {
  const { transform } = pipeline
  if (transform.kind === 'inferred') {
    throw new DbError('InvalidArguments', "auto transform doesn't have fixed table schema")
  }
  const columns = transform.columns.map(columnLine)
  let time = transform.columns.find(column => column.semantic === 'timestamp')?.to
  if (time === undefined) {
    time = timeColumn
    columns.push(`${quote(time)} TIMESTAMP(9) NOT NULL`)
  }
  const tags = transform.columns.filter(column => column.semantic === 'tag').map(column => quote(column.to))
  const lines = [...columns, `TIME INDEX (${quote(time)})`]
  if (tags.length > 0) lines.push(`PRIMARY KEY (${tags.join(', ')})`)
  const body = lines.map(line => `  ${line}`).join(',\n')
  return `CREATE TABLE IF NOT EXISTS ${quote(table)} (\n${body}\n)\nENGINE=embedded\nWITH(\n  append_mode = 'true'\n)`
}

function columnLine({ to, type, semantic, index }: TransformColumn): string {
  const nullable = semantic === 'timestamp' ? 'NOT NULL' : 'NULL'
  return `${quote(to)} ${sqlTypeName(type)} ${nullable}${index === undefined ? '' : ` ${indexClause(index)}`}`
}

function indexClause({ kind, options }: ColumnIndex): string {
  const named = Object.keys(options)
    .sort()
    .map(name => `${name} = '${options[name]!.replaceAll("'", "''")}'`)
  return `${kind.toUpperCase()} INDEX${named.length === 0 ? '' : ` WITH(${named.join(', ')})`}`
}

function quote(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}
