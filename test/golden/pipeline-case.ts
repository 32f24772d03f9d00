// Reads files of pipeline cases: a document or processors, items, and the expected rows, drops and errors.
import { parseDocument, Scalar, stringify, YAMLMap, YAMLSeq } from 'yaml'
import { formatTimestamp, type Item, type ItemValue, isDbError, isTimestamp } from '../../core/index.ts'
import { run } from '../plugins/pipelines/sample-run.ts'

export interface PipelineCase {
  readonly name: string
  /** The document as text. */
  readonly pipeline: string
  readonly items: readonly Item[]
  /** Every item is a request of its own, so that columns may have another type in each. */
  readonly alone: boolean
  /** Lines; undefined: nothing is expected yet. */
  readonly expected: string | undefined
}

/** Sections that make a case a document of its own; others get a time index that is not shown. */
const sections = ['version', 'description', 'transform', 'transforms', 'dispatcher', 'table_suffix']
const hiddenTime = 'time_of_the_case'

/** Reads a file: a list of `{name, processors, items, expect}`. Integers are bigint, fractions number. */
export function readPipelineCases(text: string): PipelineCase[] {
  const document = parseDocument(text, { intAsBigInt: true, version: '1.2' })
  if (document.errors[0] !== undefined) throw document.errors[0]
  return (document.toJS({ mapAsMap: true }) as ReadonlyMap<string, unknown>[]).map(entry => ({
    name: String(entry.get('name')),
    pipeline: documentOf(entry),
    items: (entry.get('items') as unknown[]).map(item => itemValue(item) as Item),
    alone: entry.get('alone') === true,
    expected: entry.get('expect') as string | undefined
  }))
}

function documentOf(entry: ReadonlyMap<string, unknown>): string {
  const processors = entry.get('processors')
  const own = sections.filter(name => entry.has(name))
  if (own.length > 0) {
    return stringify(new Map([['processors', processors], ...own.map(name => [name, entry.get(name)] as const)]))
  }
  const time = { field: hiddenTime, type: 'time', index: 'timestamp', on_failure: 'default' }
  return stringify({ processors, version: 2, transform: [time] })
}

function itemValue(value: unknown): ItemValue {
  if (Array.isArray(value)) return value.map(itemValue)
  if (!(value instanceof Map)) return value as ItemValue
  const object: Item = Object.create(null)
  for (const [key, member] of value as ReadonlyMap<string, unknown>) object[key] = itemValue(member)
  return object
}

/** Runs a case: a line per row with the columns that have a value, a line of drops, a line per failed item. */
export function runPipelineCase({ pipeline, items, alone }: PipelineCase): string {
  if (!alone) return runItems(pipeline, items)
  return items.map((item, i) => runItems(pipeline, [item]).replace('item 0', `item ${i}`)).join('')
}

function runItems(pipeline: string, items: readonly Item[]): string {
  try {
    const { shown, skipped, filtered } = run(pipeline, items, { skipError: true })
    const lines = shown.flatMap(({ table, columns, rows }) =>
      rows.map(row => (table === 't' ? '' : `${table}: `) + showRow(columns, row))
    )
    if (filtered > 0) lines.push(`dropped ${filtered}`)
    lines.push(...skipped.errors.map(({ index, message }) => `item ${index}: ${message}`))
    return lines.map(line => `${line}\n`).join('')
  } catch (fault) {
    if (!isDbError(fault)) throw fault
    return `refused: ${fault.message}\n`
  }
}

function showRow(columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  const cells = columns.flatMap(column => {
    const name = Object.keys(row).find(key => column.startsWith(`${key} `))!
    if (name === hiddenTime || row[name] === null) return []
    return [`${column} ${showValue(row[name], column.slice(name.length + 1))}`]
  })
  return cells.length === 0 ? '(nothing)' : cells.join(' | ')
}

const perSecond: Readonly<Record<string, bigint>> = {
  Second: 1_000_000_000n,
  Millisecond: 1_000_000n,
  Microsecond: 1000n
}

function showValue(value: unknown, type: string): string {
  const [word = ''] = type.split(' ')
  if (isTimestamp(word as Parameters<typeof isTimestamp>[0])) {
    return formatTimestamp((value as bigint) * (perSecond[word.slice('Timestamp'.length)] ?? 1n))
  }
  return word === 'String' ? JSON.stringify(value) : String(value)
}

/** The file with these answers, in the order of the cases, as what is expected. */
export function writePipelineAnswers(text: string, answers: readonly string[]): string {
  const document = parseDocument(text, { intAsBigInt: true, version: '1.2' })
  const list = document.contents
  if (!(list instanceof YAMLSeq)) throw new Error('a file of cases is a list')
  answers.forEach((answer, i) => {
    const entry: unknown = list.items[i]
    if (!(entry instanceof YAMLMap)) throw new Error(`case ${i + 1} is not a map`)
    const scalar = new Scalar(answer)
    scalar.type = Scalar.BLOCK_LITERAL
    entry.flow = false
    entry.set('expect', scalar)
  })
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}
