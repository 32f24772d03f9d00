// Tables that may hold logs, and the roles of their columns.
import { columnsOf, type TableColumn } from './api/catalog.ts'
import { quoteText, rowsOf } from './api/sql.ts'
import { isLevelName } from './levels.ts'

export interface LogTable {
  readonly name: string
  readonly time: TableColumn
  /** All, in the order of the table. */
  readonly columns: readonly TableColumn[]
  /** The column with a line's message; undefined if no column fits. */
  readonly message: string | undefined
  readonly trace: string | undefined
  readonly span: string | undefined
  /** Its rows are spans. */
  readonly isTraces: boolean
}

const messageNames = ['message', 'body', 'msg', 'line', 'log', 'text', 'event', 'content', 'raw']
/** Columns of access logs that serve as message. */
const requestNames = ['request', 'path', 'url', 'uri']
const traceName = /^trace[._-]?id$/i
const spanName = /^span[._-]?id$/i

/** Tables with a text that is no tag, the likeliest logs first. */
export async function loadLogTables(db: string, signal: AbortSignal): Promise<LogTable[]> {
  const [columns, tables] = await Promise.all([
    columnsOf(db),
    rowsOf<{ table_name: string }>(
      `SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = ${quoteText(db)}`,
      { signal }
    )
  ])
  const byTable = Map.groupBy(columns, ({ table }) => table)
  return tables
    .flatMap(({ table_name }) => tableOf(table_name, byTable.get(table_name) ?? []))
    .sort((a, b) => likeness(b) - likeness(a) || (a.name < b.name ? -1 : 1))
}

function tableOf(name: string, columns: readonly TableColumn[]): LogTable[] {
  const time = columns.find(({ semantic }) => semantic === 'TIMESTAMP')
  const texts = columns.filter(({ semantic, type }) => semantic === 'FIELD' && type === 'String')
  if (time === undefined || texts.length === 0) return []
  const named = [...messageNames, ...requestNames].flatMap(
    word => texts.find(text => wordsOf(text.name).at(-1) === word) ?? []
  )[0]
  const other = texts.find(text => !isLevelName(text.name) && !/id$/i.test(text.name))
  const trace = columns.find(each => traceName.test(each.name))
  const span = columns.find(each => spanName.test(each.name))
  const isTraces = columns.some(each => each.name === 'span_name' || each.name === 'duration_nano')
  return [{ name, time, columns, message: (named ?? other)?.name, trace: trace?.name, span: span?.name, isTraces }]
}

function wordsOf(name: string): string[] {
  return name.toLowerCase().split(/[._-]/)
}

function likeness({ columns, message, isTraces }: LogTable): number {
  const named = message !== undefined && messageNames.includes(wordsOf(message).at(-1)!)
  return (named ? 2 : 0) + (columns.some(({ name }) => isLevelName(name)) ? 1 : 0) - (isTraces ? 4 : 0)
}
