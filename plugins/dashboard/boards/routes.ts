// `/dashboard/api/boards`: saved dashboards, read by whoever may read, changed by whoever may write.
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  bodyBytes,
  checkJsonValues,
  DbError,
  firstValue,
  noBody,
  type Parameters,
  type PluginApp,
  runAtOnce
} from '../../../core/index.ts'
import type { Board, BoardDraft, Boards } from './store.ts'

const reading = { config: { private: true, action: 'read_all' } } as const
const changing = { config: { private: true, action: 'write_all' } } as const
/** Characters of a title. */
const maxTitleLength = 200

const board = { 'application/json': Type.Object({}) }
const schemas = {
  list: { summary: 'Boards', produces: { 'application/json': Type.Unknown() } },
  read: { summary: 'A board', produces: board },
  create: { summary: 'Store a new board', consumes: board, produces: board },
  change: {
    ...{ summary: 'Store a board anew', consumes: board, produces: board },
    parameters: Type.Object({ revision: Type.Integer({ description: 'The one the change was made to.' }) })
  },
  remove: { summary: 'Remove a board', produces: noBody }
}

export function boardRoutes(app: PluginApp<'dashboard', never>, boards: Boards): void {
  const url = '/api/boards'
  const one = `${url}/:id`
  const maxValues = () => app.core.config.http.max_body_values
  app.get(url, { schema: schemas.list, ...reading }, async ({ ctx }, reply) => {
    return reply.header('cache-control', 'no-store').send(boards.list(ctx))
  })
  app.get(one, { schema: schemas.read, ...reading }, async (request, reply) => {
    return send(reply, boards.find(request.ctx, idOf(request)))
  })
  app.post(url, { schema: schemas.create, ...changing }, async (request, reply) => {
    return send(reply, await boards.create(request.ctx, readDraft(request, maxValues())))
  })
  app.put(one, { schema: schemas.change, ...changing }, async (request, reply) => {
    const draft = readDraft(request, maxValues())
    const revision = Number(firstValue(request.query as Parameters, 'revision') ?? Number.NaN)
    if (!Number.isSafeInteger(revision)) throw invalid('parameter revision is missing: the one the change was made to')
    return send(reply, await boards.change(request.ctx, idOf(request), revision, draft))
  })
  app.delete(one, { schema: schemas.remove, ...changing }, async (request, reply) => {
    await boards.remove(request.ctx, idOf(request))
    return reply.status(204).send()
  })
}

function idOf({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id
}

function send(reply: FastifyReply, { document, created: _, ...facts }: Board): FastifyReply {
  const text = `${JSON.stringify(facts).slice(0, -1)},"document":${document}}`
  return reply.header('cache-control', 'no-store').type('application/json').send(text)
}

/** `{"title":…,"shared":…,"document":{…}}`. Throws DbError `InvalidArguments`. */
function readDraft(request: FastifyRequest, maxValues: number): BoardDraft {
  const body = bodyBytes(request)
  if (!isUtf8(body)) throw invalid('the body is not UTF-8')
  runAtOnce(checkJsonValues(body, maxValues))
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch (error) {
    throw invalid(`the body is no JSON: ${(error as Error).message}`)
  }
  const { title, shared = false, document } = (value ?? {}) as Record<string, unknown>
  if (typeof title !== 'string' || title.trim() === '' || title.length > maxTitleLength)
    throw invalid(`title must be a text of 1 to ${maxTitleLength} characters`)
  if (typeof shared !== 'boolean') throw invalid('shared must be true or false')
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid('document must be an object')
  return { title: title.trim().toWellFormed(), shared, document: JSON.stringify(document) }
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
