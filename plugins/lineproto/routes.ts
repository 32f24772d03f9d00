// `POST /v1/lineproto/write` and `/api/v2/write`, `GET /v1/lineproto/ping` and `/health`.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  DbError,
  dbParameter,
  firstValue,
  noBody,
  type Parameters,
  type PluginApp,
  plainText,
  type RequestContext,
  version
} from '../../core/index.ts'
import { readPrecision } from './precision.ts'
import type { Receive } from './receive.ts'

const precision = Type.Optional(
  Type.String({ description: 'Unit of the times: `n`, `ns`, `u`, `us`, `ms`, `s`, `m`, `h`.' })
)
const bucket = Type.String({ description: 'Database, or database and retention policy.' })
const writing = (parameters: object) => ({
  ...{ summary: 'Write line protocol', parameters: Type.Object({ ...parameters, precision }) },
  ...{ consumes: plainText, produces: noBody }
})
const schemas = {
  write: writing({ db: dbParameter }),
  write2: writing({ bucket }),
  ping: { summary: 'Whether the server answers', produces: noBody },
  health: {
    summary: 'Whether the server takes writes',
    produces: {
      'application/json': Type.Object({ name: Type.String(), status: Type.String(), version: Type.String() })
    }
  }
}

export function routes(app: PluginApp<never, never>, receive: Receive): void {
  const config = { action: 'write', anyContentType: true } as const

  const write = async (request: FastifyRequest, parameter: 'db' | 'bucket') => {
    const query = request.query as Parameters
    const ctx = inDatabase(app, request.ctx, query, parameter)
    const precision = readPrecision(firstValue(query, 'precision'))
    if (Buffer.isBuffer(request.body)) await receive(ctx, request.body, precision)
  }

  app.post('/write', { schema: schemas.write, config }, async (request, reply) => {
    await write(request, 'db')
    return reply.code(204).send()
  })

  app.post('/api/v2/write', { schema: schemas.write2, config }, async (request, reply) => {
    await write(request, 'bucket')
    return reply.code(204).send()
  })

  const about = { 'x-influxdb-version': version, 'x-influxdb-build': 'OSS' }

  app.get('/ping', { schema: schemas.ping, config: { public: true } }, async (_request, reply) =>
    reply.headers(about).code(204).send()
  )

  app.get('/health', { schema: schemas.health, config: { public: true } }, async (_request, reply) => {
    const state = { name: 'influxdb', message: 'ready for queries and writes', status: 'pass', checks: [], version }
    return reply.headers(about).send(state)
  })
}

/** The request's database: `db`, else `bucket` in version 2. `name/retention` means the database `name`, unless one is called `name/retention`. */
function inDatabase(
  { core }: PluginApp<never, never>,
  ctx: RequestContext,
  query: Parameters,
  parameter: 'db' | 'bucket'
): RequestContext {
  const named = firstValue(query, 'db') || (parameter === 'bucket' && firstValue(query, 'bucket')) || undefined
  const whole = named?.replace(/^svc-/, '') || ctx.db
  const seen = core.store.seenBy(ctx.user)
  const db = seen.database(whole) === undefined ? whole.split('/')[0]! : whole
  if (seen.database(db) === undefined) throw new DbError('DatabaseNotFound', `Database not found: ${whole}`)
  return { ...ctx, db }
}
