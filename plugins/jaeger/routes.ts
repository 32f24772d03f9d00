// `/v1/jaeger/api/…`: services, operations, traces and dependencies.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DbError, Pace, type Parameters, type PluginApp, runPaced, sendJson } from '../../core/index.ts'
import { invalidParameter } from './errors.ts'
import { listDependencies, listOperations, listServices } from './names.ts'
import { allValues, one, readRange, readSearch, readTraceId, type SearchLimits, type TimeRange } from './parameters.ts'
import { type AnswerLimits, readSpans, searchTraces } from './search.ts'
import { type Source, sourceOf } from './source.ts'
import { type Trace, tracesOf } from './trace.ts'

interface JaegerOptions extends SearchLimits, AnswerLimits {
  readonly max_names: number
  /** Milliseconds. */
  readonly trace_window: number
}

/** Levels written piece by piece: the answer, the list of traces, each trace, its list of spans. */
const answerLevels = 4

type Work = (source: Source, query: Parameters, params: Readonly<Record<string, string>>) => Promise<readonly unknown[]>

const text = (description: string) => Type.Optional(Type.String({ description }))
const range = { start: text('Microseconds since 1970.'), end: text('Microseconds since 1970.') }
const produces = {
  'application/json': Type.Object({
    ...{ data: Type.Array(Type.Unknown()), total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() },
    errors: Type.Null()
  })
}
const described = {
  '/services': ['Names of services', {}],
  '/services/:service/operations': ['Names of operations of a service', {}],
  '/operations': [
    'Operations of a service',
    { service: Type.String({ description: 'Its name.' }), spanKind: text('Of these spans alone.') }
  ],
  '/traces': [
    'Find traces',
    {
      ...{
        service: text('Required without traceID.'),
        operation: text('Of these spans.'),
        traceID: text('May be repeated.')
      },
      ...{
        tags: text('A JSON object of attributes.'),
        minDuration: text('Such as `10ms`.'),
        maxDuration: text('Such as `1s`.')
      },
      ...{ limit: text('Traces at most.'), lookback: text('Such as `1h`.'), ...range }
    }
  ],
  '/traces/:traceID': ['One trace', range],
  '/dependencies': [
    'Which service calls which',
    { endTs: text('Milliseconds since 1970.'), lookback: text('Milliseconds.') }
  ]
} as const

export function routes(app: PluginApp<never, never>, options: JaegerOptions): void {
  const get = (url: keyof typeof described, work: Work) => {
    const [summary, parameters] = described[url]
    const schema = { summary, parameters: Type.Object(parameters), produces }
    app.get(
      `/api${url}`,
      { schema, config: { action: 'read' } },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const { ctx, headers, params } = request
        const query = request.query as Parameters
        const source = sourceOf(app.core.store, ctx, headers, query)
        const data = await work(source, query, params as Readonly<Record<string, string>>)
        return sendJson(reply, { data, total: data.length, limit: 0, offset: 0, errors: null }, answerLevels)
      }
    )
  }

  get('/services', source => listServices(source, options.max_names))
  get('/services/:service/operations', async (source, _, { service }) => {
    const operations = await listOperations(source, service!, undefined, options.max_names)
    return [...new Set(operations.map(({ name }) => name))]
  })
  get('/operations', (source, query) => {
    const service = one(query, 'service')
    if (service === undefined) throw new DbError('InvalidArguments', "parameter 'service' is required")
    return listOperations(source, service, one(query, 'spanKind'), options.max_names)
  })
  get('/traces', (source, query) => {
    const ids = allValues(query, 'traceID')
    if (ids.length > options.max_traces) {
      throw invalidParameter('traceID', `${ids.length} are more than ${options.max_traces} (plugins.jaeger.max_traces)`)
    }
    return ids.length > 0
      ? readTraces(source, [...new Set(ids.map(readTraceId))], readRange(query), options)
      : foundTraces(source, query, options)
  })
  get('/traces/:traceID', async (source, query, { traceID }) => {
    const traces = await readTraces(source, [readTraceId(traceID!)], readRange(query), options)
    if (traces.length === 0) throw new DbError('InvalidArguments', 'trace not found', { status: 404 })
    return traces
  })
  get('/dependencies', (source, query) => {
    const to = milliseconds(query, 'endTs', Date.now())
    const from = to - milliseconds(query, 'lookback', options.lookback)
    return listDependencies(source, from > 0n ? from : 0n, to, options.max_names)
  })
}

async function foundTraces(source: Source, query: Parameters, options: JaegerOptions): Promise<readonly Trace[]> {
  const { traceIds, from = 0n, to = 0n } = await searchTraces(source, readSearch(query, Date.now(), options))
  const window = BigInt(options.trace_window) * 1_000_000n
  const range = { from: from > window ? from - window : 0n, to: to < maxTime - window ? to + window + 1n : maxTime }
  return readTraces(source, traceIds, range, options)
}

/** The latest time that nanoseconds can represent. */
const maxTime = 2n ** 63n - 1n

async function readTraces(
  source: Source,
  traceIds: readonly string[],
  range: TimeRange,
  limits: AnswerLimits
): Promise<readonly Trace[]> {
  const { table } = source
  const rows = await readSpans(source, traceIds, range, limits)
  return table === undefined ? [] : runPaced(new Pace(source.ctx), tracesOf(table, traceIds, rows))
}

/** Converts a parameter in milliseconds to nanoseconds. */
function milliseconds(query: Parameters, name: string, otherwise: number): bigint {
  const text = one(query, name)
  if (text === undefined) return BigInt(otherwise) * 1_000_000n
  if (!/^\d{1,13}$/.test(text)) throw invalidParameter(name, `${JSON.stringify(text)} is not a number of milliseconds`)
  const nanoseconds = BigInt(text) * 1_000_000n
  if (nanoseconds > maxTime)
    throw invalidParameter(name, `${text} milliseconds are more than nanoseconds can tell, 292 years`)
  return nanoseconds
}
