// COPY: the engine writes and reads the files, within the export folder.
import { randomUUID } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { authoriseAll, DbError, isDbError, type Table, type TableColumn, withMessage } from '../../../core/index.ts'
import { hint, lookUpTable } from '../catalog/name.ts'
import { invalid } from '../error.ts'
import { ownPlan, planQuery, privileged, queryColumns, readRows, runPlan, type Session } from '../session.ts'
import type { CopyStatement } from '../statement/statement.ts'
import { quoteName, quoteText, type Token, tokensAt } from '../text/token.ts'
import { insertColumns } from '../write/insert.ts'
import { writeAnswer } from '../write/stream.ts'
import { findTarget } from '../write/target.ts'
import { type CopyOptions, copyOptions } from './options.ts'
import { pathToRead, pathToWrite } from './path.ts'
import { cellOf, fileRows } from './source.ts'

type To = Extract<CopyStatement, { direction: 'to' }>
type From = Extract<CopyStatement, { direction: 'from' }>

/** Returns the rows copied. Needs the right to write; what is copied out, the right to read, too. */
export async function copy(session: Session, statement: CopyStatement): Promise<number> {
  // The files belong to no database.
  authoriseAll(session.ctx.user, 'write')
  return statement.direction === 'to' ? copyTo(session, statement) : copyFrom(session, statement)
}

/** The file has its name once it is whole. */
async function copyTo(session: Session, statement: To): Promise<number> {
  const options = copyOptions(statement.path, statement.options)
  const tokens = sourceTokens(session, statement, options)
  const columns = await queryColumns(session, tokens)
  const file = await pathToWrite(session.exportFolder, statement.path)
  const temporary = `${file}.${randomUUID()}.tmp`
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  const limit = options.limit === undefined ? '' : ` LIMIT ${options.limit}`
  const target = { path: temporary, options: targetOptions(options) }
  try {
    const plan = await planQuery(session, tokens, 'SELECT * FROM (', `) AS copied(${names})${limit}`)
    const [row] = await readRows(await runPlan(session, { ...plan, query: { ...plan.query, target } }))
    await rename(temporary, file)
    return Number(row?.[0] ?? 0)
  } catch (error) {
    await rm(temporary, { force: true })
    throw withoutPath(error, temporary, statement.path)
  }
}

function targetOptions({ format, compression, header, delimiter }: CopyOptions): string {
  const packing = `COMPRESSION ${quoteText(format === 'parquet' && compression === 'none' ? 'uncompressed' : compression)}`
  if (format !== 'csv') return `FORMAT ${format}, ${packing}`
  return `FORMAT csv, ${packing}, HEADER ${header}, DELIMITER ${quoteText(delimiter)}`
}

function sourceTokens(session: Session, { source }: To, { start_time, end_time }: CopyOptions): readonly Token[] {
  const bounds = [
    ...(start_time === undefined ? [] : [['>=', start_time] as const]),
    ...(end_time === undefined ? [] : [['<', end_time] as const])
  ]
  if (source.kind === 'query') {
    if (bounds.length > 0) throw invalid('COPY: start_time and end_time go with a table, not a query')
    return source.tokens
  }
  const time = lookUpTable(session.store, session.ctx.db, source.name)?.timeIndex.name
  if (bounds.length > 0 && time === undefined) {
    throw invalid('COPY: start_time and end_time go with a table')
  }
  const where = bounds.map(
    ([sign, value]) => `${quoteName(time!)} ${sign} ${/^-?\d+$/.test(value) ? value : quoteText(value)}`
  )
  const condition = where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]
  return tokensAt(source.named[0]!, ['SELECT * FROM', source.named, ...condition])
}

async function copyFrom(session: Session, statement: From): Promise<number> {
  const table = findTarget(session, statement.table)
  const options = copyOptions(statement.path, statement.options)
  if ((options.start_time ?? options.end_time) !== undefined) {
    throw invalid('COPY FROM: start_time and end_time are options of COPY TO')
  }
  const file = await pathToRead(session.exportFolder, statement.path)
  const reading = privileged(session)
  const given = { sql: fileRows(file, options) }
  const run = (items: string, limit: string) => {
    const head = `SELECT ${items} FROM `
    const rows = [{ ...given, start: head.length, end: head.length + 'file'.length }]
    const text = `${head}file${limit}`
    return runPlan(reading, ownPlan({ kind: 'sql', text, relations: [], given: rows, timezone: 'UTC' }))
  }
  try {
    const found = await run('*', ' LIMIT 0')
    found.close?.()
    const columns = fileColumns(
      table,
      insertColumns(table, statement.columns),
      found.columns.map(({ name }) => name),
      statement
    )
    const selected = columns.map(({ from, column }) => cellOf(options.format, from, column))
    const limit = options.limit === undefined ? '' : ` LIMIT ${options.limit}`
    const answer = await run(selected.join(', '), limit)
    // Times in files are in UTC, as they are written.
    return await writeAnswer(
      { ...session, ctx: { ...session.ctx, timezone: 'UTC' } },
      table,
      columns.map(({ column }) => column),
      answer
    )
  } catch (error) {
    throw withoutPath(error, file, statement.path)
  }
}

interface FileColumn {
  /** Its name in the file. */
  readonly from: string
  readonly column: TableColumn
}

/** By name; a CSV file without a header line has the columns in order. */
function fileColumns(
  table: Table,
  wanted: readonly TableColumn[],
  found: readonly string[],
  { path, options }: From
): FileColumn[] {
  if (options['header'] === 'false' || options['headers'] === 'false') {
    if (found.length !== wanted.length) {
      throw invalid(`COPY ${path}: it has ${found.length} columns, expected ${wanted.length}`)
    }
    return found.map((from, i) => ({ from, column: wanted[i]! }))
  }
  return found.map(from => {
    const column = wanted.find(({ name }) => name === from)
    if (column !== undefined) return { from, column }
    const names = wanted.map(({ name }) => name)
    throw new DbError(
      'TableColumnNotFound',
      `COPY ${path}: the file has a column ${from}, table ${table.name} has none of that name${hint(from, names)}`
    )
  })
}

/** Errors of the engine name the whole path; users know the part they wrote. */
function withoutPath(error: unknown, whole: string, path: string): unknown {
  if (!isDbError(error)) return error
  const message = error.message.replaceAll(whole, path)
  const isOfFile = error.code === 'EngineExecuteQuery' || error.code === 'PlanQuery'
  return isOfFile ? new DbError('InvalidArguments', message, { cause: error }) : withMessage(error, message)
}
