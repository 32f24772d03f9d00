// Answers with the patterns of the lines in a range.
import {
  type Core,
  formatTimestamp,
  isValid,
  Pace,
  type RequestContext,
  type ResultBatch,
  type Table
} from '../../../core/index.ts'
import type { LogQuery } from '../document/tree.ts'
import { narrowTo, readNumbers } from '../latest.ts'
import { findTable, writingFor } from '../run.ts'
import { type Pattern, Patterns, type TemplateLines } from './cluster.ts'
import { checkPatterns, countQuery, type PatternLimits, templateColumns, templatesQuery, tickOf } from './query.ts'
import { regexOf, textOf } from './text.ts'

export interface PatternsAnswer {
  /** The column whose texts were grouped. */
  readonly column: string
  /** Lines in the range, the sum of the members below. */
  readonly lines: number
  /** Lines not used, because there are `max_pattern_lines` later ones. */
  readonly older: number
  /** Lines without text. */
  readonly empty: number
  /** Lines that are in no pattern of the answer. */
  readonly others: number
  readonly patterns: readonly PatternAnswer[]
}

interface PatternAnswer {
  /** Lines differ at `<*>`. */
  readonly pattern: string
  /** A regular expression that finds its lines. */
  readonly regex: string
  readonly count: number
  /** RFC 3339 in UTC. */
  readonly first: string
  readonly last: string
  readonly examples: readonly string[]
}

export async function findPatterns(
  { store }: Pick<Core, 'store'>,
  ctx: RequestContext,
  query: LogQuery,
  limits: PatternLimits
): Promise<PatternsAnswer> {
  const seen = store.seenBy(ctx.user)
  const table = findTable(seen, query)
  checkPatterns(table, query)
  const [counted = 0n] = await readNumbers(store, ctx, countQuery(writingFor(store, ctx), table, query))
  const isMore = counted > limits.max_pattern_lines
  const looked = isMore
    ? await narrowTo(store, ctx, table, query, limits.max_pattern_lines, writingFor(store, ctx))
    : query
  const { patterns, grouped, empty } = await groupLines(store, ctx, table, looked, limits)
  const shown = patterns.slice(query.skip, query.skip + query.fetch)
  const inPatterns = shown.reduce((sum, { count }) => sum + count, 0)
  // Lines may be added or removed between the two queries.
  const lines = isMore ? Math.max(Number(counted), grouped) : grouped
  return {
    column: query.columns[0]!.name,
    lines,
    older: lines - grouped,
    empty,
    others: grouped - empty - inPatterns,
    patterns: shown.map(pattern => answerOf(pattern, tickOf(table)))
  }
}

async function groupLines(
  store: Core['store'],
  ctx: RequestContext,
  table: Table,
  query: LogQuery,
  limits: PatternLimits
) {
  const patterns = new Patterns()
  const pace = new Pace(ctx)
  let grouped = 0
  let empty = 0
  const result = await store.query(ctx, templatesQuery(writingFor(store, ctx), table, query, limits))
  for await (const batch of result.batches()) {
    const cell = cellsOf(batch)
    for (let row = 0; row < batch.rows; row++) {
      grouped = Number(cell('grouped', row))
      empty = Number(cell('empty', row))
      if (cell('template', row) !== undefined) patterns.add(templateLines(cell, row))
      if (pace.isDue) await pace.pause()
    }
  }
  return { patterns: patterns.list(), grouped, empty }
}

type Cell = (column: (typeof templateColumns)[number], row: number) => unknown

function cellsOf({ columns }: ResultBatch): Cell {
  return (column, row) => {
    const { values, valid } = columns[templateColumns.indexOf(column)]!
    return isValid(valid, row) ? (values[row] ?? undefined) : undefined
  }
}

function templateLines(cell: Cell, row: number): TemplateLines {
  return {
    template: cell('template', row) as string,
    count: Number(cell('lines', row)),
    first: BigInt(cell('first', row) as bigint),
    last: BigInt(cell('last', row) as bigint),
    example: cell('example', row) as string,
    isCut: Boolean(cell('cut', row))
  }
}

function answerOf(pattern: Pattern, tick: bigint): PatternAnswer {
  return {
    pattern: textOf(pattern),
    regex: regexOf(pattern),
    count: pattern.count,
    first: formatTimestamp(pattern.first * tick),
    last: formatTimestamp(pattern.last * tick),
    examples: pattern.examples
  }
}
