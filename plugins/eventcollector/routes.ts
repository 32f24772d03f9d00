// Routes: events, raw text, acknowledgements, health.
import type { FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import {
  bodyBytes,
  checkJsonValues,
  DbError,
  firstValue,
  isDbError,
  Pace,
  type Parameters,
  type PluginApp,
  parseJson,
  plainText,
  runPaced
} from '../../core/index.ts'
import { requestedPipeline } from '../services.ts'
import { type Acks, checkChannel } from './acks.ts'
import { decodeEvents, tagKeys } from './decode/events.ts'
import { readRaw } from './decode/raw.ts'
import { CollectorError, replies } from './errors.ts'
import { tableOfIndex } from './index-name.ts'
import type { Receive } from './receive.ts'

const defaultTable = 'eventcollector_logs'
const base = '/services/collector'

export interface CollectorService {
  readonly receive: Receive
  /** Undefined: answers have no numbers. */
  readonly acks: Acks | undefined
}

interface CollectorRoutes {
  /** Maximum bytes of one JSON event, and of a request for acknowledgements. */
  readonly max_event_size: number
  readonly max_request_tables: number
  readonly query_token: boolean
  readonly raw_lines: boolean
}

const json = (properties: Readonly<Record<string, TSchema>>) => ({ 'application/json': Type.Object(properties) })
const said = { text: Type.String(), code: Type.Integer() }
const parameters = Type.Object({
  channel: Type.Optional(Type.String({ description: 'Channel of the acknowledgements.' }))
})
const taken = json({ ...said, ackId: Type.Optional(Type.Integer()) })
const schemas = {
  event: { summary: 'Write events', parameters, consumes: json({ event: Type.Unknown() }), produces: taken },
  raw: { summary: 'Write text as events', parameters, consumes: plainText, produces: taken },
  ack: {
    ...{ summary: 'Which writes are stored', parameters, consumes: json({ acks: Type.Array(Type.Integer()) }) },
    produces: json({ acks: Type.Record(Type.String(), Type.Boolean()) })
  },
  health: { summary: 'Whether the collector takes events', produces: json(said) }
}

export function routes(app: PluginApp<never, 'pipelines'>, service: CollectorService, options: CollectorRoutes): void {
  // Senders use any content type, even invalid ones.
  const config = { action: 'write', queryToken: options.query_token, anyContentType: true } as const
  const { receive, acks } = service

  const take = async (request: FastifyRequest, kind: 'event' | 'raw') => {
    const channel = acks === undefined ? undefined : checkChannel(channelOf(request))
    const [name, version] = [parameter(request, 'pipeline_name'), parameter(request, 'version')]
    const given = { ...(name && { name }), ...(version && { version }) }
    const pipeline = requestedPipeline(app.services.pipelines, request.headers, given)
    const spread = pipeline === undefined
    const maxValues = app.core.config.http.max_body_values
    const read = () =>
      kind === 'event'
        ? readEvents(request, spread, {
            maxValues,
            maxBytes: options.max_event_size,
            maxTables: options.max_request_tables
          })
        : readText(request, maxValues, linesOf(request) ?? options.raw_lines)
    const skipped = await receive(request.ctx, { read, pipeline })
    return {
      text: replies[0].text,
      code: 0,
      ...(channel !== undefined && { ackId: acks!.next(channel) }),
      ...(skipped.count > 0 && { skipped })
    }
  }
  for (const path of ['', '/event', '/event/1.0'])
    app.post(base + path, { schema: schemas.event, config }, async request => take(request, 'event'))
  for (const path of ['/raw', '/raw/1.0'])
    app.post(base + path, { schema: schemas.raw, config }, async request => take(request, 'raw'))

  app.post(`${base}/ack`, { schema: schemas.ack, config }, async request => {
    if (acks === undefined) throw new CollectorError(14)
    const channel = checkChannel(channelOf(request))
    const body = bodyBytes(request)
    const { max_event_size: max } = options
    if (body.length > max) {
      const reason = `the body takes more than ${max} bytes (plugins.eventcollector.max_event_size)`
      throw new DbError('InvalidArguments', reason, { status: 413 })
    }
    await runPaced(new Pace(request.ctx), checkJsonValues(body, app.core.config.http.max_body_values))
    const ids = readIds(body)
    return { acks: Object.fromEntries(ids.map(id => [id, acks.isDone(channel, id)])) }
  })

  for (const path of ['/health', '/health/1.0']) {
    app.get(base + path, { schema: schemas.health, config: { public: true } }, async () => ({
      text: replies[17].text,
      code: 17
    }))
  }
}

function readEvents(
  request: FastifyRequest,
  spread: boolean,
  limits: { readonly maxValues: number; readonly maxBytes: number; readonly maxTables: number }
) {
  return decodeEvents(bodyBytes(request), {
    spread,
    table: tableOf(request),
    tags: tagsOf(request),
    now: currentTime(),
    ...limits
  })
}

function readText(request: FastifyRequest, maxValues: number, lines: boolean) {
  return readRaw(bodyBytes(request), {
    table: tableOf(request),
    linebreaker: parameter(request, 'linebreaker'),
    lines,
    time: parameter(request, 'time'),
    now: currentTime(),
    maxValues,
    tags: tagsOf(request)
  })
}

/** The table of events that name no index. */
function tableOf(request: FastifyRequest): string {
  const index = parameter(request, 'index')
  return (index && tableOfIndex(index)) ?? parameter(request, 'table') ?? defaultTable
}

function tagsOf(request: FastifyRequest): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(tagKeys.map(key => [key, parameter(request, key)]))
}

/** Undefined if the request does not say. */
function linesOf(request: FastifyRequest): boolean | undefined {
  const given = parameter(request, 'lines')
  if (given === undefined || given === 'true' || given === 'false')
    return given === undefined ? undefined : given === 'true'
  throw new CollectorError(6, `parameter lines must be true or false, not ${given.slice(0, 60)}`)
}

function channelOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-splunk-request-channel']
  return typeof header === 'string' ? header : parameter(request, 'channel')
}

/** Undefined if it is blank. */
function parameter(request: FastifyRequest, key: string): string | undefined {
  return firstValue(request.query as Parameters, key) || undefined
}

function readIds(body: Uint8Array): number[] {
  const { acks } = parseObject(body)
  if (!Array.isArray(acks) || !acks.every(id => typeof id === 'bigint'))
    throw new CollectorError(6, 'expected {"acks":[numbers]}')
  return acks.map(Number)
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (cause) {
    if (!isDbError(cause)) throw cause
    throw new DbError('InvalidArguments', cause.message, { cause })
  }
  throw new CollectorError(6, 'expected {"acks":[numbers]}')
}

function currentTime(): bigint {
  return BigInt(Date.now()) * 1_000_000n
}
