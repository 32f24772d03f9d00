// The SQL routes: run, format, parse. Parameters come from the query or a form; the query wins.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  acceptForms,
  checkCount,
  DbError,
  formatSize,
  Pace,
  type PluginApp,
  parameterOf,
  resultBodies,
  resultParameters,
  runPaced,
  type Steps,
  sendAnswers,
  sendJson
} from '../../core/index.ts'
import { informationSchema } from './catalog/name.ts'
import { invalid } from './error.ts'
import { execute, type SqlOptions } from './execute.ts'
import type { SqlParser } from './grammar/parser.ts'
import { limitAnswer } from './limit-answer.ts'
import type { SqlService } from './service.ts'
import { type Parsed, parseStatements } from './statement/parse.ts'
import { parseLongInsert } from './statement/values.ts'
import { fillParameters, type Parameters, readParameters } from './text/parameters.ts'
import { describeStatement, printStatement } from './text/print.ts'
import { TooManyTokens } from './text/token.ts'

const method = ['GET', 'POST']

const text = { sql: Type.String({ description: 'One statement or several, parted by semicolons.' }) }
const parameters = Type.Object({
  ...text,
  ...resultParameters,
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'Rows of each answer at most.' })),
  params: Type.Optional(Type.String({ description: 'Values of `$1`, `$name` … as a JSON array or object.' })),
  epoch: Type.Optional(Type.String({ enum: ['ns', 'us', 'ms', 's'], description: 'Unit of times in the answer.' }))
})
const form = 'application/x-www-form-urlencoded'
const json = (schema: object) => ({ 'application/json': schema })
const schemas = {
  run: {
    ...{ summary: 'Run SQL', parameters, produces: resultBodies },
    consumes: { [form]: parameters, 'application/sql': Type.String() }
  },
  format: {
    ...{ summary: 'Write SQL anew, in order', parameters: Type.Object(text), consumes: { [form]: Type.Object(text) } },
    produces: json(Type.Object({ formatted: Type.String() }))
  },
  parse: {
    ...{
      summary: 'The trees of SQL statements',
      parameters: Type.Object(text),
      consumes: { [form]: Type.Object(text) }
    },
    produces: json(Type.Array(Type.Unknown()))
  }
}

export function routes(
  app: PluginApp<never, never>,
  options: SqlOptions,
  { parser, processes, session }: SqlService
): void {
  const { store, metrics } = app.core
  const elapsed = metrics.histogram('svc_servers_http_sql_elapsed', 'Seconds of requests of `/v1/sql`.', ['db'])
  acceptForms(app)
  /** What `tell` says of each statement of a request that runs none of them. */
  const ofEach = async <T>(request: FastifyRequest, missing: string, tell: Tell<T>): Promise<T[]> => {
    const sql = requireSql(readFields(request), options, missing)
    const pace = new Pace(request.ctx)
    const told: T[] = []
    for (const parsed of await runPaced(pace, parseStatements(sql, options.max_sql_tokens))) {
      if (pace.isDue) await pace.pause()
      told.push(await tell(parser, pace, sql, parsed))
    }
    return told
  }
  app.route({
    method,
    url: '',
    schema: schemas.run,
    async handler(request, reply) {
      const { ctx } = request
      const isOwn = ctx.channel === 'internal'
      // A client may read its answer until after the store is closed.
      const db = store.label(ctx.db)
      if (!isOwn) request.lifetime.onEnd(() => elapsed.observe(reply.elapsedTime / 1000, { db }))
      const parameter = readFields(request)
      const { format, encoding } = app.core.formats.choose(parameter)
      const limit = readLimit(parameter('limit'))
      const pace = new Pace(ctx)
      const params = await runPaced(pace, readParameters(parameter('params'), options.max_sql_tokens))
      const read = readStatements(parameter, params, options, store.dialect.backslashEscapes)
      const { sql, statements } = await runPaced(pace, read)
      const seen = store.seenBy(ctx.user)
      if (ctx.db !== informationSchema) seen.requireDatabase(ctx.db)
      checkCount(format, statements.length)
      const process = processes.start(ctx, sql)
      for (const event of ['finish', 'close']) reply.raw.once(event, process.end)
      const answers = await execute(session(process.ctx, sql), statements)
      const limited = limit === undefined ? answers : answers.map(answer => limitAnswer(answer, limit))
      return sendAnswers(reply, format, limited, encoding)
    }
  })
  app.route({
    method,
    url: '/format',
    schema: schemas.format,
    config: { action: 'read' },
    async handler(request, reply) {
      const lines = await ofEach(request, 'sql parameter is required.', printStatement)
      return sendJson(reply, { formatted: lines.map(line => `${line};`).join('\n') }, 1)
    }
  })
  app.route({
    method,
    url: '/parse',
    schema: schemas.parse,
    config: { action: 'read' },
    async handler(request, reply) {
      const trees = await ofEach(request, 'Invalid query: sql parameter is required.', describeStatement)
      return sendJson(reply, trees, levelsOfLists)
    }
  })
}

type Tell<T> = (parser: SqlParser, pace: Pace, sql: string, parsed: Parsed) => Promise<T>

/** Levels of a tree down to the lists that a statement makes long: columns, conditions, values. */
const levelsOfLists = 8

type ReadParameter = (key: string) => string | undefined

function readFields(request: FastifyRequest): ReadParameter {
  const { body } = request
  const read: ReadParameter = key => parameterOf(request, key)
  if (!Buffer.isBuffer(body) || body.length === 0 || read('sql') !== undefined) return read
  if (/^\s*application\/sql\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    const text = body.toString()
    return key => (key === 'sql' ? text : read(key))
  }
  throw new DbError(
    'InvalidArguments',
    'a body must have the content type application/x-www-form-urlencoded, or application/sql where it is the text itself',
    { status: 415 }
  )
}

/** The statements of a text; one that is longer than texts may be is a single INSERT of values. */
function* readStatements(
  parameter: ReadParameter,
  params: Parameters | undefined,
  options: SqlOptions,
  backslashes: boolean
): Steps<{ sql: string; statements: readonly Parsed[] }> {
  const sql = parameter('sql') ?? ''
  try {
    requireSql(parameter, options)
    return {
      sql,
      statements: yield* parseStatements(
        sql,
        options.max_sql_tokens,
        tokens => fillParameters(sql, tokens, params),
        backslashes
      )
    }
  } catch (error) {
    const isLong = error instanceof TooManyTokens || sql.length > options.max_sql_length
    const insert = isLong && params === undefined ? parseLongInsert(sql, options.max_sql_tokens) : undefined
    if (insert === undefined) throw error
    return { sql, statements: [insert] }
  }
}

function requireSql(
  parameter: ReadParameter,
  { max_sql_length: limit }: SqlOptions,
  message = 'sql parameter is required.'
): string {
  const sql = parameter('sql')
  if (sql === undefined) throw invalid(message)
  // A character takes three bytes at most.
  const bytes = sql.length * 3 <= limit ? 0 : Buffer.byteLength(sql)
  if (bytes > limit) {
    const key = `[plugins.sql] max_sql_length = "${formatSize(limit)}"`
    throw invalid(`the SQL text has ${bytes} bytes, at most are ${limit} (${key})`)
  }
  return sql
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const limit = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(limit)) return limit
  throw invalid(`limit must be an integer from 0, got ${text}`)
}
