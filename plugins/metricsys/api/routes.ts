// The query API under `/v1/metricsys/api/v1`: every endpoint by GET and POST, answers in the envelope its clients know.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { acceptForms, answerError, DbError, type PluginApp } from '../../../core/index.ts'
import type { AlertingService, PromqlService } from '../../services.ts'
import { buildInfo } from './build-info.ts'
import { readCardinality } from './cardinality.ts'
import { formatApiError } from './errors.ts'
import { type ListAnswer, listLabels, listSeries, listValues } from './labels.ts'
import { readMetadata } from './metadata.ts'
import { type ApiParameters, parametersOf } from './parameters.ts'
import { type ApiAnswer, instantQuery, rangeQuery, requireQuery } from './query.ts'
import { listRules } from './rules.ts'
import { sendJson } from './send.ts'
import { statsJson } from './stats.ts'

type Work<T> = (request: FastifyRequest, parameters: ApiParameters) => T | Promise<T>

/** `rules` lists the alerting and recording rules; undefined where no plugin evaluates any. */
export async function apiRoutes(
  app: PluginApp<never, never>,
  promql: PromqlService,
  rules: () => AlertingService | undefined,
  options: { readonly max_status_series: number }
): Promise<void> {
  acceptForms(app)
  const protocol = { name: 'metricsys', formatError: formatApiError }
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, protocol))
  // Unknown paths below this prefix answer 404 in the same envelope.
  app.setNotFoundHandler(request => {
    throw new DbError('Unsupported', `there is no ${request.url}`, { status: 404 })
  })

  const both = <T>(url: keyof typeof described, work: Work<T>, pieces: (answer: T) => Iterable<string>) =>
    app.route({
      method: ['GET', 'POST'],
      url,
      schema: schemaOf(url),
      config: { action: 'read' },
      async handler(request: FastifyRequest, reply: FastifyReply) {
        return sendJson(request, reply, pieces(await work(request, parametersOf(request))))
      }
    })
  const data = (url: keyof typeof described, work: Work<unknown>) => both(url, work, answer => dataPieces(answer))
  const list = (url: keyof typeof described, work: Work<ListAnswer>) =>
    both(url, work, ({ data, truncated }) => dataPieces(data, truncated ? [truncation] : []))

  both('/query', ({ ctx }, parameters) => instantQuery(promql, ctx, parameters), answerPieces)
  both('/query_range', ({ ctx }, parameters) => rangeQuery(promql, ctx, parameters), answerPieces)
  list('/series', ({ ctx }, parameters) => listSeries(promql, ctx, parameters))
  list('/labels', ({ ctx }, parameters) => listLabels(promql, ctx, parameters))
  list('/label/:name/values', ({ ctx, params }, parameters) =>
    listValues(promql, ctx, (params as { readonly name: string }).name, parameters)
  )
  data('/metadata', ({ ctx }, parameters) => readMetadata(app.core.store, ctx, parameters))
  data('/format_query', (_, parameters) => promql.format(requireQuery(parameters)))
  data('/parse_query', (_, parameters) => promql.parse(requireQuery(parameters)))
  data('/rules', ({ ctx }, parameters) => listRules(rules(), ctx, parameters))
  data('/alerts', ({ ctx }) => ({ alerts: rules()?.alerts(ctx.db) ?? [] }))
  data('/status/buildinfo', () => buildInfo)
  both(
    '/status/tsdb',
    ({ ctx }, parameters) =>
      readCardinality(app.core.store.seenBy(ctx.user), ctx, parameters, options.max_status_series),
    ({ data, truncated }) => {
      const note = `only the first ${options.max_status_series} series were counted (plugins.metricsys.max_status_series)`
      return dataPieces(data, truncated ? [note] : [])
    }
  )
}

const one = (description: string) => Type.Optional(Type.String({ description }))
const query = { query: Type.String({ description: 'PromQL.' }) }
const asking = {
  ...query,
  lookback_delta: one('How old a sample may be that counts.'),
  limit: one('Series at most.'),
  stats: one('`all`: what it cost.')
}
const matches = {
  'match[]': one('Selector of series; may be repeated.'),
  start: one('Time.'),
  end: one('Time.'),
  limit: one('Entries at most.')
}
const described = {
  '/query': ['Evaluate PromQL at a moment', { ...asking, time: one('Unix seconds or RFC 3339; now without it.') }],
  '/query_range': [
    'Evaluate PromQL over a time range',
    {
      ...asking,
      start: Type.String(),
      end: Type.String(),
      step: Type.String({ description: 'A duration or seconds.' })
    }
  ],
  '/series': ['Series that selectors choose', matches],
  '/labels': ['Names of labels', matches],
  '/label/:name/values': ['Values of a label', matches],
  '/metadata': ['Type, unit and help of metrics', { metric: one('Of this one.'), limit: one('Metrics at most.') }],
  '/format_query': ['PromQL written anew', query],
  '/parse_query': ['The tree of a PromQL query', query],
  '/rules': [
    'Rules and how they are',
    {
      ...{ type: one('`alert` or `record`.'), exclude_alerts: one('`true`: without the alerts of the rules.') },
      ...{
        'rule_name[]': one('May be repeated.'),
        'rule_group[]': one('May be repeated.'),
        'file[]': one('May be repeated.')
      }
    }
  ],
  '/alerts': ['Alerts that are pending or firing', {}],
  '/status/buildinfo': ['Which version answers', {}],
  '/status/tsdb': ['What has the most series', { limit: one('Entries at most.') }]
} as const
const produces = {
  'application/json': Type.Object({
    ...{ status: Type.String(), data: Type.Unknown() },
    warnings: Type.Optional(Type.Array(Type.String()))
  })
}

function schemaOf(url: keyof typeof described) {
  const [summary, properties] = described[url]
  const parameters = Type.Object(properties)
  return { summary, parameters, consumes: { 'application/x-www-form-urlencoded': parameters }, produces }
}

const truncation = 'results truncated due to limit'

function* dataPieces(data: unknown, warnings: readonly string[] = []): Iterable<string> {
  yield '{"status":"success","data":'
  if (Array.isArray(data)) yield* listPieces(data)
  else if (data instanceof Map) yield* mapPieces(data)
  else yield JSON.stringify(data)
  yield notes('warnings', warnings)
  yield '}'
}

/** Entries of a list in one piece of its JSON. */
const pieceEntries = 256

function* listPieces(list: readonly unknown[]): Iterable<string> {
  yield '['
  for (let from = 0; from < list.length; from += pieceEntries)
    yield (from > 0 ? ',' : '') + JSON.stringify(list.slice(from, from + pieceEntries)).slice(1, -1)
  yield ']'
}

function* mapPieces(map: ReadonlyMap<string, unknown>): Iterable<string> {
  let before = '{'
  for (const [key, value] of map) {
    yield `${before}${JSON.stringify(key)}:${JSON.stringify(value)}`
    before = ','
  }
  yield map.size === 0 ? '{}' : '}'
}

function* answerPieces({ result, limit, stats }: ApiAnswer): Iterable<string> {
  yield '{"status":"success","data":'
  if (stats === undefined) yield* result.json(limit)
  else yield* withStats(result.json(limit), statsJson(result.stats, stats))
  const warnings = limit > 0 && result.series > limit ? [truncation] : []
  yield notes('warnings', [...warnings, ...result.warnings])
  yield notes('infos', result.infos)
  yield '}'
}

/** Statistics stand beside the result, before the brace that closes both. */
function* withStats(pieces: Iterable<string>, stats: string): Iterable<string> {
  let held: string | undefined
  for (const piece of pieces) {
    if (held !== undefined) yield held
    held = piece
  }
  yield `${held!.slice(0, -1)},${stats}}`
}

/** Largest number of warnings, and of infos, in an answer. */
const maxNotes = 10

function notes(name: string, texts: readonly string[]): string {
  if (texts.length === 0) return ''
  const more = texts.length - maxNotes
  const shown = more > 0 ? [...texts.slice(0, maxNotes), `${more} more ${name} annotations omitted`] : texts
  return `,"${name}":${JSON.stringify(shown)}`
}
