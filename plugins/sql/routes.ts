// The SQL routes: run, format, parse. Parameters come from the query or a form; the query wins.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  acceptForms,
  authorise,
  checkCount,
  DbError,
  formatSize,
  limitAnswer,
  type PluginApp,
  parameterOf,
  resultEncoding,
  sendAnswers
} from '../../core/index.ts'
import { informationSchema } from './catalog/name.ts'
import { isParquet, parquetOf, parquetType } from './copy/parquet.ts'
import { execute, type SqlOptions } from './execute.ts'
import type { SqlService } from './service.ts'
import { parseStatements } from './statement/parse.ts'
import { describeStatement, printStatement } from './text/print.ts'

const method = ['GET', 'POST']

export function routes(
  app: PluginApp<never, never>,
  options: SqlOptions,
  { parser, processes, session }: SqlService
): void {
  const { store, metrics } = app.core
  const elapsed = metrics.histogram('svc_servers_http_sql_elapsed', 'Seconds of requests of `/v1/sql`.', ['db'])
  acceptForms(app)
  app.route({
    method,
    url: '',
    async handler(request, reply) {
      const { ctx } = request
      const isOwn = ctx.channel === 'internal'
      // A client may read its answer until after the store is closed.
      const db = store.label(ctx.db)
      if (!isOwn) request.life.onEnd(() => elapsed.observe(reply.elapsedTime / 1000, { db }))
      const parameter = readParameters(request)
      const asParquet = isParquet(parameter('format'))
      const { format, encoding } = resultEncoding(name =>
        asParquet && name === 'format' ? undefined : parameter(name)
      )
      const limit = readLimit(parameter('limit'))
      const sql = requireSql(parameter, options)
      const seen = store.seenBy(ctx.user)
      if (ctx.db !== informationSchema) seen.requireDatabase(ctx.db)
      const statements = parseStatements(sql, options.max_sql_tokens)
      if (!asParquet) checkCount(format, statements.length)
      const process = processes.start(ctx, sql)
      for (const event of ['finish', 'close']) reply.raw.once(event, process.end)
      const whole = session(process.ctx, sql)
      if (asParquet) {
        const file = await parquetOf(whole, statements, limit)
        return reply.type(parquetType).header('x-svc-format', 'parquet').send(file)
      }
      const answers = await execute(whole, statements)
      const limited = limit === undefined ? answers : answers.map(answer => limitAnswer(answer, limit))
      return sendAnswers(reply, format, limited, encoding)
    }
  })
  app.route({
    method,
    url: '/format',
    async handler(request, reply) {
      authorise(request.ctx.user, 'read')
      const sql = requireSql(readParameters(request), options)
      const lines: string[] = []
      for (const parsed of parseStatements(sql, options.max_sql_tokens))
        lines.push(`${await printStatement(parser, sql, parsed)};`)
      return sendJson(reply, { formatted: lines.join('\n') })
    }
  })
  app.route({
    method,
    url: '/parse',
    async handler(request, reply) {
      authorise(request.ctx.user, 'read')
      const sql = requireSql(readParameters(request), options, 'Invalid query: sql parameter is required.')
      const trees: unknown[] = []
      for (const parsed of parseStatements(sql, options.max_sql_tokens))
        trees.push(await describeStatement(parser, sql, parsed))
      return sendJson(reply, trees)
    }
  })
}

type ReadParameter = (key: string) => string | undefined

function readParameters(request: FastifyRequest): ReadParameter {
  const { body } = request
  const read: ReadParameter = key => parameterOf(request, key)
  if (Buffer.isBuffer(body) && body.length > 0 && read('sql') === undefined) {
    throw new DbError('InvalidArguments', 'a body must have the content type application/x-www-form-urlencoded', {
      status: 415
    })
  }
  return read
}

function requireSql(
  parameter: ReadParameter,
  { max_sql_length: limit }: SqlOptions,
  message = 'sql parameter is required.'
): string {
  const sql = parameter('sql')
  if (sql === undefined) throw new DbError('InvalidArguments', message)
  // A character takes three bytes at most.
  const bytes = sql.length * 3 <= limit ? 0 : Buffer.byteLength(sql)
  if (bytes > limit) {
    const key = `[plugins.sql] max_sql_length = "${formatSize(limit)}"`
    throw new DbError('InvalidArguments', `the SQL text has ${bytes} bytes, at most are ${limit} (${key})`)
  }
  return sql
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const limit = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(limit)) return limit
  throw new DbError('InvalidArguments', `limit must be an integer from 0, got ${text}`)
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type('application/json').send(JSON.stringify(value))
}
