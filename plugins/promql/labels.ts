// Lists of series, label names and label values.
import {
  authorise,
  DbError,
  eachPaced,
  mapPaced,
  Pace,
  type RequestContext,
  type Store,
  sortPaced,
  type Table
} from '../../core/index.ts'
import type { PromqlRange, PromqlService } from '../services.ts'
import { type Labels, metricName } from './engine/labels.ts'
import { compareLabels } from './functions/sort.ts'
import { type Expr, type Matcher, unwrap } from './language/ast.ts'
import { QueryError } from './language/error.ts'
import { compileMatcher } from './language/matcher.ts'
import { type ParseLimits, parse } from './language/parse.ts'
import { findSeries } from './source/find.ts'
import { databaseLabels, fieldLabel, findTables, metricTables } from './source/tables.ts'

type LabelReads = Pick<PromqlService, 'series' | 'labelNames' | 'labelValues'>

/** How many tables a selector may name, and how many selectors a request may bring. */
interface LabelLimits {
  readonly tables: number
  readonly selectors: number
}

export function createLabelReads(store: Store, limits: ParseLimits, most: () => LabelLimits): LabelReads {
  const read = (texts: readonly string[]): readonly (readonly Matcher[])[] => {
    const max = most().selectors
    if (texts.length > max)
      throw invalid(`${texts.length} selectors are given, at most ${max} are read (plugins.promql.max_selectors)`)
    return [...new Set(texts)].map(text => readSelector(text, limits))
  }
  const find = async (ctx: RequestContext, selectors: readonly string[], range: PromqlRange) => {
    const found = new Map<string, Labels>()
    const pace = new Pace(ctx)
    for (const matchers of read(selectors)) {
      const some = await findSeries(store, ctx, matchers, range, most().tables)
      await eachPaced(pace, some, labels => void found.set(labels.key, labels))
    }
    return [...found.values()]
  }
  const all = (ctx: RequestContext, range: PromqlRange) => find(ctx, ['{__name__=~".+"}'], range)

  return {
    async series(ctx, selectors, range) {
      authorise(ctx.user, 'read')
      const found = await find(ctx, selectors, range)
      const pace = new Pace(ctx)
      const sorted = await sortPaced(pace, found, compareLabels)
      return mapPaced(pace, sorted, labels => Object.fromEntries(labels))
    },

    async labelNames(ctx, selectors, range) {
      authorise(ctx.user, 'read')
      const names = new Set<string>()
      const pace = new Pace(ctx)
      const found = selectors.length > 0 ? await find(ctx, selectors, range) : undefined
      if (found !== undefined) {
        await eachPaced(pace, found, labels => {
          for (const name of labels.names) names.add(name)
        })
      } else {
        names.add(metricName)
        await eachPaced(pace, metricTables(store.seenBy(ctx.user), ctx.db), ({ tags }) => {
          for (const { name } of tags) names.add(name)
        })
      }
      return sorted(names)
    },

    async labelValues(ctx, label, selectors, range) {
      authorise(ctx.user, 'read')
      if (databaseLabels.has(label)) return databases(store.seenBy(ctx.user), ctx, read(selectors), most().tables)
      if (label === fieldLabel) {
        const wanted = read(selectors.length === 0 ? ['{__name__=~".+"}'] : selectors)
        return fields(store.seenBy(ctx.user), ctx, wanted, most().tables)
      }
      if (label === metricName && selectors.length === 0)
        return sortedNames(ctx, metricTables(store.seenBy(ctx.user), ctx.db))
      const found = selectors.length === 0 ? await all(ctx, range) : await find(ctx, selectors, range)
      const pace = new Pace(ctx)
      const values = new Set(await mapPaced(pace, found, labels => labels.get(label)))
      values.delete('')
      return sortPaced(pace, [...values], (a, b) => (a < b ? -1 : 1))
    }
  }
}

function invalid(reason: string): DbError {
  return new DbError('InvalidArguments', `invalid parameter "match[]": ${reason}`)
}

/** A selector's matchers. Throws DbError `InvalidArguments`. */
function readSelector(text: string, limits: ParseLimits): readonly Matcher[] {
  let expr: Expr
  try {
    expr = unwrap(parse(text, limits))
  } catch (error) {
    throw error instanceof QueryError ? invalid(error.message) : error
  }
  if (expr.kind !== 'selector' || expr.offset !== 0 || expr.at !== undefined) {
    throw invalid(`expected a series selector, got ${JSON.stringify(text)}`)
  }
  if (expr.matchers.every(matcher => compileMatcher(matcher)(''))) {
    throw invalid('match[] must contain at least one non-empty matcher')
  }
  return expr.matchers
}

async function databases(
  store: Store,
  ctx: RequestContext,
  selectors: readonly (readonly Matcher[])[],
  maxTables: number
): Promise<readonly string[]> {
  const names = store.databases().map(({ name }) => name)
  if (selectors.length === 0) return sorted([...names, 'information_schema'])
  const pace = new Pace(ctx)
  const found: string[] = []
  for (const db of names) {
    for (const matchers of selectors) {
      if ((await findTables(store, db, matchers, maxTables, pace)).length === 0) continue
      found.push(db)
      break
    }
  }
  return sorted(found)
}

async function fields(
  store: Store,
  ctx: RequestContext,
  selectors: readonly (readonly Matcher[])[],
  maxTables: number
): Promise<readonly string[]> {
  const pace = new Pace(ctx)
  const names = new Set<string>()
  for (const matchers of selectors) {
    for (const metric of await findTables(store, ctx.db, matchers, maxTables, pace))
      for (const { name } of metric.fields) names.add(name)
  }
  return sorted(names)
}

async function sortedNames(ctx: RequestContext, tables: readonly Table[]): Promise<readonly string[]> {
  const pace = new Pace(ctx)
  return sortPaced(pace, await mapPaced(pace, tables, ({ name }) => name), (a, b) => (a < b ? -1 : 1))
}

function sorted(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].sort()
}
