// Runs the queries of a panel.

import { type Exemplar, loadExemplars } from '../../api/exemplars.ts'
import { queryLogs } from '../../api/logs.ts'
import { legendOf, queryAt, queryRange, type Series, type Span, seriesName, stepOf } from '../../api/promql.ts'
import { type Column, type SqlResult, type Statement, sql } from '../../api/sql.ts'
import { type Heat, heatOf } from '../../components/chart/heat.ts'
import type { Line } from '../../components/chart/index.tsx'
import { linesOf } from '../../components/chart/row-lines.ts'
import { linesOfSeries } from '../../components/chart/series-lines.ts'
import { type LogTable, loadLogTables } from '../../log-tables.ts'
import { wordConditions } from '../../log-words.ts'
import { maxDots, wordsOf } from '../../observations.ts'
import type { TimeSpan } from '../../time.ts'
import { timeFilter } from '../../time-filter.ts'
import type { Panel, PanelQuery } from './document.ts'
import { substitute, substituteSql, type Values } from './substitute.ts'

export type Loaded =
  | (Lines & {
      readonly kind: 'lines'
      /** Set when the result is one histogram. */
      readonly heat: Heat | undefined
      readonly exemplars: readonly Exemplar[]
    })
  | { readonly kind: 'rows'; readonly columns: readonly Column[]; readonly rows: SqlResult['rows'] }
  | { readonly kind: 'logs'; readonly table: LogTable; readonly result: SqlResult }

/** Rows a table shows at most, and lines of logs. */
const maxRows = 1_000
const maxLogLines = 200

interface LoadContext {
  readonly values: Values
  readonly span: TimeSpan
  readonly db: string
  readonly signal: AbortSignal
}

/** Its queries that have a text. */
export function askedBy({ queries }: Panel): readonly PanelQuery[] {
  return queries.filter(({ text }) => text.trim() !== '')
}

export async function loadPanel(panel: Panel, context: LoadContext): Promise<Loaded> {
  const { kind, exemplars } = panel
  const queries = askedBy(panel)
  const [first] = queries
  if (first === undefined) return { kind: 'lines', lines: [], warnings: [], series: [], heat: undefined, exemplars: [] }
  if (first.language === 'logs') return loadLogs(first, context)
  if (kind === 'table' || kind === 'logs') return loadTable(first, queries, context)
  const [found, ...parts] = await Promise.all([
    exemplars === true ? exemplarsOf(queries, context) : [],
    ...queries.map(query => loadLines(query, kind, context))
  ])
  const series = parts.flatMap(({ series }) => series)
  return {
    kind: 'lines',
    series,
    lines: parts.flatMap(({ lines }) => lines),
    warnings: parts.flatMap(({ warnings }) => warnings),
    heat: queries.length === 1 ? heatOf(series, stepOf(secondsOf(context.span))) : undefined,
    exemplars: found
  }
}

function exemplarsOf(queries: readonly PanelQuery[], context: LoadContext): Promise<readonly Exemplar[]> {
  const texts = queries.flatMap(query => (query.language === 'promql' ? filled(query, context) : []))
  return loadExemplars([...new Set(texts.flatMap(wordsOf))], secondsOf(context.span), maxDots, context)
}

function secondsOf({ from, to }: TimeSpan): Span {
  return { from: from / 1000, to: to / 1000 }
}

interface Lines {
  readonly lines: readonly Line[]
  readonly warnings: readonly string[]
  /** Of PromQL: what the lines were made of. */
  readonly series: readonly Series[]
}

async function loadLines(query: PanelQuery, kind: Panel['kind'], context: LoadContext): Promise<Lines> {
  const { span, signal, db } = context
  const seconds = secondsOf(span)
  const step = stepOf(seconds)
  if (query.language === 'sql') {
    const { text, params } = statementOf(query, context)
    const result = await sql(text, { params, signal, db, limit: 10_000 })
    const lines = linesOf(result)
    if (lines.length > 0 || kind !== 'stat') return { lines, warnings: [], series: [] }
    return { lines: figuresOf(result, seconds.to), warnings: [], series: [] }
  }
  const { series, warnings } = await queryRange(filled(query, context), seconds, step, { signal, db })
  // Native histograms have no values.
  const valued = series.filter(({ values }) => values.length > 0)
  const named = linesOfSeries(valued, seconds, step).map((line, i) => ({ ...line, name: nameOf(query, valued[i]!) }))
  // Infos are shown where the expression is edited.
  return { series, lines: uniquely(named), warnings: warnings.filter(text => !text.startsWith('PromQL info')) }
}

/** The text of a query in another language than SQL. */
function filled({ language, text }: PanelQuery, { values, span }: LoadContext): string {
  const step = stepOf(secondsOf(span))
  return substitute(text, language === 'logs' ? language : 'promql', values, { ...span, step })
}

function statementOf({ text }: PanelQuery, { values, span }: LoadContext): Statement {
  return substituteSql(text, values, { ...span, step: stepOf(secondsOf(span)) })
}

/** Numbers of the only row, without a time. */
function figuresOf({ columns, rows }: SqlResult, time: number): Line[] {
  const [row] = rows
  return columns.flatMap(({ name, type }, i) => {
    const isNumber = /^(U?Int|Float|Decimal)/.test(type)
    return isNumber && row !== undefined
      ? [{ name, times: [time], values: [row[i] === null ? null : Number(row[i])] }]
      : []
  })
}

function nameOf({ legend }: PanelQuery, { labels }: Series): string {
  return (legend && legendOf(legend, labels).trim()) || seriesName(labels)
}

/** Lines are told apart by their names. */
function uniquely(lines: readonly Line[]): Line[] {
  const seen = new Map<string, number>()
  return lines.map(line => {
    const count = (seen.get(line.name) ?? 0) + 1
    seen.set(line.name, count)
    return count === 1 ? line : { ...line, name: `${line.name} (${count})` }
  })
}

async function loadTable(first: PanelQuery, queries: readonly PanelQuery[], context: LoadContext): Promise<Loaded> {
  const { span, signal, db } = context
  if (first.language === 'sql') {
    const { text, params } = statementOf(first, context)
    const { columns, rows } = await sql(text, { params, signal, db, limit: maxRows })
    return { kind: 'rows', columns, rows }
  }
  const results = await Promise.all(
    queries.map(async query => (await queryAt(filled(query, context), span.to / 1000, { signal, db })).series)
  )
  const series = results.flat().slice(0, maxRows)
  const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))].sort()
  return {
    kind: 'rows',
    columns: [...names.map(name => ({ name, type: 'String' })), { name: 'value', type: 'Float64' }],
    rows: series.map(({ labels, values }) => [...names.map(name => labels[name] ?? null), values[0] ?? null])
  }
}

async function loadLogs(query: PanelQuery, context: LoadContext): Promise<Loaded> {
  const { span, signal, db } = context
  const [, name = '', words = ''] = /^\s*(\S+)\s*(.*)$/s.exec(filled(query, context)) ?? []
  const table = (await loadLogTables(db, signal)).find(each => each.name === name)
  if (table === undefined)
    throw new Error(`${db} has no table of logs ${name}: a query of logs is a table, and words behind it`)
  const conditions = wordConditions(table, words, word => ({ Contains: word }))
  const result = await queryLogs(
    {
      table: name,
      ...(conditions.length > 0 && { filters: { And: conditions } }),
      time_filter: timeFilter(span),
      limit: { fetch: maxLogLines }
    },
    signal,
    db
  )
  return { kind: 'logs', table, result }
}
