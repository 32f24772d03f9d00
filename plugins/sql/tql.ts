// Runs TQL: PromQL over a range of time, answered as rows.
import {
  type Answer,
  convertTime,
  enabledService,
  isTimestamp,
  parseDuration,
  parseTimestamp,
  type RecordsAnswer,
  timeUnit
} from '../../core/index.ts'
import type { PromqlRequest, PromqlResult, PromqlService, PromqlStats } from '../services.ts'
import { rowsAnswer } from './catalog/rows.ts'
import { invalid } from './error.ts'
import { describeReading, stagesAnswer } from './query/explain.ts'
import { readRows, runQuery, type Session, zoneOf } from './session.ts'
import type { TqlStatement } from './statement/statement.ts'
import { tokenize } from './text/token.ts'

/** Throws DbError `Unsupported` without the plugin promql. */
export async function runTql(session: Session, statement: TqlStatement): Promise<Answer> {
  if (statement.command === 'explain') return describePlan(requirePromql(session), statement)
  if (statement.command === 'eval') return evaluateTql(session, statement)
  const { series, stats } = await runQueryOf(session, statement)
  return describeCost(statement, series, stats)
}

/** The rows of `TQL EVAL`. */
export async function evaluateTql(session: Session, statement: TqlStatement): Promise<RecordsAnswer> {
  const result = await runQueryOf(session, statement)
  return result.records(statement.alias)
}

async function runQueryOf(session: Session, statement: TqlStatement): Promise<PromqlResult> {
  const promql = requirePromql(session)
  return promql.query(session.ctx, { text: statement.query, ...(await readRange(session, statement)) })
}

function requirePromql({ promql }: Session): PromqlService {
  return enabledService(promql, 'promql', 'TQL')
}

async function readRange(session: Session, { start, end, step, lookback }: TqlStatement) {
  const range: Omit<PromqlRequest, 'text'> = {
    start: await readTime(session, start),
    end: await readTime(session, end),
    step: readDuration(step, 'step'),
    ...(lookback !== undefined && { lookback: readDuration(lookback, 'lookback') })
  }
  if (range.end < range.start) throw invalid(`TQL: end ${end} lies before start ${start}`)
  return range
}

const isNumber = /^[+-]?\d+(\.\d+)?$/

/** Milliseconds since 1970 of seconds, of a time in quotes, or of what an expression of SQL gives. */
async function readTime(session: Session, bound: string): Promise<number> {
  const text = quoted(bound) ?? bound
  if (isNumber.test(text)) return Math.round(Number(text) * 1_000)
  if (text !== bound) return timeOf(session, text)
  const sql = `SELECT ${bound} AS bound`
  const answer = await runQuery({ ...session, sql }, tokenize(sql))
  const [row] = await readRows(answer)
  const [value, type] = [row?.[0], answer.columns[0]!.type]
  if (typeof value === 'bigint' && isTimestamp(type)) return Number(convertTime(value, timeUnit(type), 'ms'))
  if (typeof value === 'number' || typeof value === 'bigint') return Math.round(Number(value) * 1_000)
  return timeOf(session, String(value))
}

/** Throws DbError for what is not a time. */
function timeOf(session: Session, text: string): number {
  return Number(convertTime(parseTimestamp(text, zoneOf(session)), 'ns', 'ms'))
}

function readDuration(bound: string, name: string): number {
  const text = quoted(bound) ?? bound
  const milliseconds = isNumber.test(text) ? Math.round(Number(text) * 1_000) : parseDuration(text)
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds
  throw invalid(`TQL: ${name} is ${bound}, expected a duration such as '15s' or seconds, above 0`)
}

function quoted(text: string): string | undefined {
  const [first, last] = [text[0], text.at(-1)]
  return text.length > 1 && first === last && (first === "'" || first === '"') ? text.slice(1, -1) : undefined
}

function describePlan(promql: PromqlService, { query, format }: TqlStatement): Answer {
  const tree = promql.parse(query)
  const plan = isJson(format) ? JSON.stringify(tree) : promql.format(query)
  return rowsAnswer(['plan_type', 'plan'], [['promql', plan]])
}

/** The answer of ANALYZE instead of the rows. */
function describeCost({ query, format }: TqlStatement, series: number, { took, peak, reading }: PromqlStats): Answer {
  const parts = reading()
  const facts = { query, series, samples: peak, ...took, reading: parts }
  if (isJson(format)) return stagesAnswer([JSON.stringify(facts)])
  return stagesAnswer([
    `${query} series=${series} samples=${peak}`,
    ...Object.entries(took).map(([phase, milliseconds]) => `  ${phase} ms=${milliseconds.toFixed(3)}`),
    ...describeReading(parts).map(line => `  ${line}`)
  ])
}

function isJson(format: string | undefined): boolean {
  if (format === undefined || /^text$/i.test(format)) return false
  if (/^json$/i.test(format)) return true
  throw invalid(`TQL: unknown format ${format}, expected JSON or TEXT`)
}
