// `/dashboard/api/boards`: saved dashboards, read by whoever may read, changed by whoever may write.
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  authoriseAll,
  bodyBytes,
  checkJsonValues,
  DbError,
  firstValue,
  type Parameters,
  type PluginApp
} from '../../../core/index.ts'
import type { Board, BoardDraft, Boards } from './store.ts'

const config = { private: true }
/** Characters of a title. */
const longestTitle = 200

export function boardRoutes(app: PluginApp<'dashboard', never>, boards: Boards): void {
  const url = '/api/boards'
  const one = `${url}/:id`
  const mostValues = () => app.core.config.http.max_body_values
  app.get(url, { config }, async ({ ctx }, reply) => {
    authoriseAll(ctx.user, 'read')
    return reply.header('cache-control', 'no-store').send(boards.list(ctx))
  })
  app.get(one, { config }, async (request, reply) => {
    authoriseAll(request.ctx.user, 'read')
    return send(reply, boards.find(request.ctx, idOf(request)))
  })
  app.post(url, { config }, async (request, reply) => {
    return send(reply, await boards.create(request.ctx, readDraft(request, mostValues())))
  })
  app.put(one, { config }, async (request, reply) => {
    const draft = readDraft(request, mostValues())
    const revision = Number(firstValue(request.query as Parameters, 'revision') ?? Number.NaN)
    if (!Number.isSafeInteger(revision)) throw invalid('parameter revision is missing: the one the change was made to')
    return send(reply, await boards.change(request.ctx, idOf(request), revision, draft))
  })
  app.delete(one, { config }, async (request, reply) => {
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
function readDraft(request: FastifyRequest, mostValues: number): BoardDraft {
  authoriseAll(request.ctx.user, 'write')
  const body = bodyBytes(request)
  if (!isUtf8(body)) throw invalid('the body is not UTF-8')
  checkJsonValues(body, mostValues)
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch (error) {
    throw invalid(`the body is no JSON: ${(error as Error).message}`)
  }
  const { title, shared = false, document } = (value ?? {}) as Record<string, unknown>
  if (typeof title !== 'string' || title.trim() === '' || title.length > longestTitle)
    throw invalid(`title must be a text of 1 to ${longestTitle} characters`)
  if (typeof shared !== 'boolean') throw invalid('shared must be true or false')
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid('document must be an object')
  return { title: title.trim().toWellFormed(), shared, document: JSON.stringify(document) }
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
