// `/dashboard/api/boards`: saved dashboards. Users who may read see them, users who may write change them.
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  bodyBytes,
  checkJsonValues,
  DbError,
  firstValue,
  jsonCursor,
  members,
  noBody,
  Pace,
  type Parameters,
  ParseError,
  type PluginApp,
  passSteps,
  runPaced,
  type Steps,
  skipSpace,
  startsWith,
  unexpected
} from '../../../core/index.ts'
import type { Board, BoardDraft, Boards } from './store.ts'

const reading = { config: { private: true, action: 'read_all' } } as const
const changing = { config: { private: true, action: 'write_all' } } as const
/** Maximum characters of a title. */
const maxTitleLength = 200
const brace = 0x7b

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
    return send(reply, await boards.create(request.ctx, await readDraft(request, boards, maxValues())))
  })
  app.put(one, { schema: schemas.change, ...changing }, async (request, reply) => {
    const draft = await readDraft(request, boards, maxValues())
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

/** Maximum bytes of a title or a flag in JSON, escapes included. */
const maxPartLength = 16 * maxTitleLength

/** Bytes of a body besides the document, at most. */
const otherBytes = 1 << 18

/** `{"title":…,"shared":…,"document":{…}}`; the document stays the JSON text it was sent as. Throws DbError `InvalidArguments`. */
async function readDraft(request: FastifyRequest, boards: Boards, maxValues: number): Promise<BoardDraft> {
  const body = bodyBytes(request)
  boards.checkSize(body.length, otherBytes)
  if (!isUtf8(body)) throw invalid('the body is not UTF-8')
  const pace = new Pace(request.ctx)
  await runPaced(pace, checkJsonValues(body, maxValues))
  const parts = await runPaced(pace, memberTexts(body)).catch(error => {
    throw error instanceof ParseError ? invalid(`the body is not valid JSON: ${error.message}`) : error
  })
  const partOf = (name: string): unknown => {
    const text = parts.get(name)
    return text === undefined || text.length > maxPartLength ? text : JSON.parse(text.toString())
  }
  const [title, shared = false, document] = [partOf('title'), partOf('shared'), parts.get('document')]
  if (typeof title !== 'string' || title.trim() === '' || title.length > maxTitleLength)
    throw invalid(`title must be a text of 1 to ${maxTitleLength} characters`)
  if (typeof shared !== 'boolean') throw invalid('shared must be true or false')
  if (document?.[0] !== brace) throw invalid('document must be an object')
  return { title: title.trim().toWellFormed(), shared, document: document.toString() }
}

/** The JSON text of each member of an object; none if it is not an object. Throws ParseError. */
function* memberTexts(json: Uint8Array): Steps<ReadonlyMap<string, Buffer>> {
  const cursor = jsonCursor(json)
  const texts = new Map<string, Buffer>()
  if (startsWith(cursor, brace))
    for (const name of members(cursor)) {
      const start = cursor.at
      yield* passSteps(cursor)
      texts.set(name, cursor.bytes.subarray(start, cursor.at))
    }
  else yield* passSteps(cursor)
  cursor.at = skipSpace(cursor, cursor.at)
  if (cursor.at < cursor.end) throw unexpected(cursor, cursor.at, 'the end of the document')
  return texts
}

function invalid(message: string): DbError {
  return new DbError('InvalidArguments', message)
}
