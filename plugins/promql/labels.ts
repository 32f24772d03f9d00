// Lists of series, label names and label values.
import { authorise, DbError, type RequestContext, type Store } from '../../core/index.ts'
import type { PromqlRange, PromqlService } from '../services.ts'
import { type Labels, metricName } from './engine/labels.ts'
import { mapPaced, Pace, sortPaced } from './engine/pace.ts'
import { compareLabels } from './functions/sort.ts'
import { type Expr, type Matcher, unwrap } from './language/ast.ts'
import { QueryError } from './language/error.ts'
import { compileMatcher } from './language/matcher.ts'
import { type ParseLimits, parse } from './language/parse.ts'
import { findSeries } from './source/find.ts'
import { databaseLabels, fieldLabel, findTables, metricTables } from './source/tables.ts'

type LabelReads = Pick<PromqlService, 'series' | 'labelNames' | 'labelValues'>

export function createLabelReads(store: Store, limits: ParseLimits, most: () => number): LabelReads {
  const find = async (ctx: RequestContext, selectors: readonly string[], range: PromqlRange) => {
    const found = new Map<string, Labels>()
    for (const selector of selectors) {
      const matchers = readSelector(selector, limits)
      for (const labels of await findSeries(store, ctx, matchers, range, most())) found.set(labels.key, labels)
    }
    return [...found.values()]
  }
  const all = (ctx: RequestContext, range: PromqlRange) => find(ctx, ['{__name__=~".+"}'], range)

  return {
    async series(ctx, selectors, range) {
      authorise(ctx.user, 'read')
      const found = await find(ctx, selectors, range)
      const pace = new Pace(ctx.signal)
      const sorted = await sortPaced(pace, found, compareLabels)
      return mapPaced(pace, sorted, labels => Object.fromEntries(labels))
    },

    async labelNames(ctx, selectors, range) {
      authorise(ctx.user, 'read')
      if (selectors.length > 0) return sorted((await find(ctx, selectors, range)).flatMap(({ names }) => names))
      const tables = metricTables(store.seenBy(ctx.user), ctx.db)
      return sorted([metricName, ...tables.flatMap(({ tags }) => tags.map(({ name }) => name))])
    },

    async labelValues(ctx, label, selectors, range) {
      authorise(ctx.user, 'read')
      if (databaseLabels.has(label)) return databases(store.seenBy(ctx.user), selectors, limits, most())
      if (label === fieldLabel) return fields(store.seenBy(ctx.user), ctx, selectors, limits, most())
      if (label === metricName && selectors.length === 0)
        return sorted(metricTables(store.seenBy(ctx.user), ctx.db).map(({ name }) => name))
      const found = selectors.length === 0 ? await all(ctx, range) : await find(ctx, selectors, range)
      const pace = new Pace(ctx.signal)
      const values = new Set(await mapPaced(pace, found, labels => labels.get(label)))
      values.delete('')
      return sortPaced(pace, [...values], (a, b) => (a < b ? -1 : 1))
    }
  }
}

/** A selector's matchers. Throws DbError `InvalidArguments`. */
function readSelector(text: string, limits: ParseLimits): readonly Matcher[] {
  const invalid = (reason: string) => new DbError('InvalidArguments', `invalid parameter "match[]": ${reason}`)
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

function databases(
  store: Store,
  selectors: readonly string[],
  limits: ParseLimits,
  maxTables: number
): readonly string[] {
  const names = store.databases().map(({ name }) => name)
  if (selectors.length === 0) return sorted([...names, 'information_schema'])
  return sorted(names).filter(db =>
    selectors.some(selector => findTables(store, db, readSelector(selector, limits), maxTables).length > 0)
  )
}

function fields(
  store: Store,
  ctx: RequestContext,
  selectors: readonly string[],
  limits: ParseLimits,
  maxTables: number
): readonly string[] {
  const wanted = selectors.length === 0 ? ['{__name__=~".+"}'] : selectors
  const tables = wanted.flatMap(text => findTables(store, ctx.db, readSelector(text, limits), maxTables))
  return sorted(tables.flatMap(metric => metric.fields.map(({ name }) => name)))
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}
