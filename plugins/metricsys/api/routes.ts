// The query API under `/v1/metricsys/api/v1`: every endpoint by GET and POST, answers in the envelope its clients know.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptForms, authorise, isDbError, type PluginApp } from '../../../core/index.ts'
import type { PromqlService } from '../../services.ts'
import { buildInfo } from './build-info.ts'
import { formatApiError } from './error.ts'
import { type ListAnswer, listLabels, listSeries, listValues } from './labels.ts'
import { readMetadata } from './metadata.ts'
import { type ApiParameters, parametersOf } from './parameters.ts'
import { type ApiAnswer, instantQuery, rangeQuery, requireQuery } from './query.ts'

export async function apiRoutes(app: PluginApp<never, never>, promql: PromqlService): Promise<void> {
  acceptForms(app)
  app.setErrorHandler((error, _, reply) => {
    if (!isDbError(error)) throw error
    const { status, body } = formatApiError(error)
    if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter))
    return reply.code(status).type('application/json').send(body)
  })

  const both = (url: string, work: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    app.route({ method: ['GET', 'POST'], url, handler: work })
  const data = (url: string, read: (request: FastifyRequest, parameters: ApiParameters) => unknown) =>
    both(url, async (request, reply) => {
      authorise(request.ctx.user, 'read')
      return sendData(reply, await read(request, parametersOf(request)))
    })
  const list = (url: string, read: (request: FastifyRequest, parameters: ApiParameters) => Promise<ListAnswer>) =>
    both(url, async (request, reply) => {
      const { data, truncated } = await read(request, parametersOf(request))
      return sendData(reply, data, truncated ? [truncation] : [])
    })

  both('/query', async (request, reply) => send(reply, await instantQuery(promql, request.ctx, parametersOf(request))))
  both('/query_range', async (request, reply) =>
    send(reply, await rangeQuery(promql, request.ctx, parametersOf(request)))
  )
  list('/series', ({ ctx }, parameters) => listSeries(promql, ctx, parameters))
  list('/labels', ({ ctx }, parameters) => listLabels(promql, ctx, parameters))
  list('/label/:name/values', ({ ctx, params }, parameters) =>
    listValues(promql, ctx, (params as { readonly name: string }).name, parameters)
  )
  data('/metadata', ({ ctx }, parameters) => readMetadata(app.core.store, ctx, parameters))
  data('/format_query', (_, parameters) => promql.format(requireQuery(parameters)))
  data('/parse_query', (_, parameters) => promql.parse(requireQuery(parameters)))
  data('/status/buildinfo', () => buildInfo)
}

const truncation = 'results truncated due to limit'

function sendData(reply: FastifyReply, data: unknown, warnings: readonly string[] = []): FastifyReply {
  const notes = warnings.length > 0 ? { warnings } : {}
  return reply.type('application/json').send(JSON.stringify({ status: 'success', data, ...notes }))
}

/** Streamed, so that a large result is never held as text. */
function send(reply: FastifyReply, answer: ApiAnswer): FastifyReply {
  return reply.type('application/json').send(Readable.from(envelope(answer), { objectMode: false }))
}

function* envelope({ result, limit }: ApiAnswer): Iterable<string> {
  yield '{"status":"success","data":'
  yield* result.json(limit)
  const warnings = limit > 0 && result.series > limit ? [truncation] : []
  yield notes('warnings', [...warnings, ...result.warnings])
  yield notes('infos', result.infos)
  yield '}'
}

/** Most annotations of a kind that are shown. */
const mostNotes = 10

function notes(name: string, texts: readonly string[]): string {
  if (texts.length === 0) return ''
  const more = texts.length - mostNotes
  const shown = more > 0 ? [...texts.slice(0, mostNotes), `${more} more ${name} annotations omitted`] : texts
  return `,"${name}":${JSON.stringify(shown)}`
}
