// Management routes: create, read, delete, infer DDL, dry run.
import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { bodyBytes, DbError, dbParameter, invalidParameter, type PluginApp } from '../../core/index.ts'
import { checkDocumentSize } from './runner.ts'
import type { OwnService } from './service.ts'
import { formatVersion } from './version.ts'

interface RouteOptions {
  readonly dry_run_max_items: number
  /** Bytes. */
  readonly max_document_size: number
}

/** A repeated parameter counts by its first value. */
type Query = Readonly<Record<string, string | readonly string[] | undefined>>

const version = Type.String({ description: 'Version of the pipeline.' })
const anyVersion = Type.Optional(Type.String({ description: 'Version of the pipeline; the latest without it.' }))
const strict = Type.Optional(
  Type.Boolean({ default: false, description: 'Unknown keys of the document are errors, not warnings.' })
)
const document = Type.String({ description: 'A pipeline document: docs/pipelines.md.' })
const execution_time_ms = Type.Integer()
const named = Type.Object({ name: Type.String(), version: Type.String(), pipeline: Type.Optional(Type.String()) })
const managing = (properties: Readonly<Record<string, TSchema>>) => ({
  'application/json': Type.Object({ ...properties, execution_time_ms })
})
const foundPipelines = managing({ pipelines: Type.Array(named) })
const schemas = {
  create: {
    ...{ summary: 'Store a pipeline', parameters: Type.Object({ db: dbParameter, strict }) },
    consumes: { 'application/x-yaml': document, 'text/yaml': document },
    produces: managing({ pipelines: Type.Array(named), warnings: Type.Optional(Type.Array(Type.Unknown())) })
  },
  read: {
    ...{ summary: 'Read a pipeline', parameters: Type.Object({ version: anyVersion }) },
    produces: foundPipelines
  },
  remove: {
    ...{ summary: 'Remove a version of a pipeline', parameters: Type.Object({ version }) },
    produces: foundPipelines
  },
  ddl: {
    ...{ summary: 'The table a pipeline makes, as SQL' },
    parameters: Type.Object({ db: dbParameter, table: Type.String(), version: anyVersion }),
    produces: managing({ sql: Type.Object({ sql: Type.String(), message: Type.Optional(Type.String()) }) })
  },
  dryRun: {
    summary: 'Try a pipeline out',
    parameters: Type.Object({ pipeline_name: Type.Optional(Type.String()), version: anyVersion, strict }),
    consumes: { 'application/json': Type.Unknown() },
    produces: { 'application/json': Type.Object({}) }
  }
}

export function routes(app: PluginApp<'pipelines', never>, service: OwnService, options: RouteOptions): void {
  app.post('/:name', { schema: schemas.create }, async (request, reply) => {
    const name = nameOf(request)
    if (name.startsWith('svc_')) throw invalidParameter('pipeline_name cannot start with svc_')
    const strict = flag(request, 'strict')
    const { created, warnings } = await service.create(
      request.ctx,
      name,
      await readDocument(request, options.max_document_size),
      strict
    )
    const pipelines = [{ name, version: formatVersion(created) }]
    return managed(reply, { pipelines, ...(warnings.length > 0 && { warnings }) })
  })

  app.get('/:name', { schema: schemas.read, config: { action: 'read' } }, async (request, reply) => {
    const name = nameOf(request)
    const asked = parameter(request, 'version')
    const { created, yaml } = service.find(name, asked)
    return managed(reply, { pipelines: [{ name, version: asked ?? formatVersion(created), pipeline: yaml }] })
  })

  app.delete('/:name', { schema: schemas.remove, config: { action: 'write' } }, async (request, reply) => {
    const name = nameOf(request)
    const version = parameter(request, 'version')
    if (version === undefined) throw invalidParameter('version is required')
    const removed = await service.remove(request.ctx, name, version)
    return managed(reply, { pipelines: removed ? [{ name, version }] : [] })
  })

  app.get('/:name/ddl', { schema: schemas.ddl, config: { action: 'read' } }, async (request, reply) => {
    const name = nameOf(request)
    if (name.startsWith('svc_')) throw invalidParameter("built-in pipelines don't have fixed table schema")
    const table = parameter(request, 'table')
    if (table === undefined) throw invalidParameter('table name is required')
    const { sql, moves } = await service.ddl(request.ctx, name, parameter(request, 'version'), table)
    const exists = app.core.store.table(request.ctx.db, table) !== undefined
    const notes = [
      ...(exists ? ['table already exists, the CREATE TABLE SQL may be different'] : []),
      ...(moves ? ['the pipeline has a dispatcher or table_suffix, the table name may not be fixed'] : [])
    ]
    return managed(reply, { sql: { sql, ...(notes.length > 0 && { message: notes.join('; ') }) } })
  })

  app.post('/_dryrun', { schema: schemas.dryRun, config: { action: 'read' } }, async (request, reply) => {
    const { body } = request
    if (!Buffer.isBuffer(body)) throw invalidParameter('data is required in body')
    const name = parameter(request, 'pipeline_name')
    const version = parameter(request, 'version')
    const text = await service.dryRun(request.ctx, {
      body,
      contentType: request.headers['content-type'] ?? 'application/json',
      query: {
        ignore_errors: flag(request, 'ignore_errors'),
        trace: flag(request, 'trace'),
        strict: flag(request, 'strict'),
        ...(name !== undefined && { pipeline_name: name }),
        ...(version !== undefined && { version })
      },
      maxValues: app.core.config.http.max_body_values,
      maxItems: options.dry_run_max_items
    })
    return head(reply).type('application/json; charset=utf-8').send(text)
  })
}

function nameOf({ params }: FastifyRequest): string {
  const { name } = params as { readonly name: string }
  if (name === '') throw invalidParameter('the name of the pipeline is missing')
  return name
}

/** Bytes of a form beside the document in it. */
const maxFormParts = 16_384

/** The YAML text of a body or of the first part of a form. */
async function readDocument({ headers, body }: FastifyRequest, maxBytes: number): Promise<string> {
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  const isForm = type === 'multipart/form-data'
  if (!isForm && !type.endsWith('yaml')) {
    const got = type === '' ? 'none' : type
    throw new DbError(
      'InvalidArguments',
      `a pipeline is sent as application/x-yaml, text/yaml or multipart/form-data; content type: ${got}`,
      { status: 415 }
    )
  }
  const bytes = bodyBytes({ body })
  // Before anything reads it, which would hold the event loop.
  checkDocumentSize(bytes.length, maxBytes, isForm ? maxFormParts : 0)
  if (!isUtf8(bytes)) throw invalidParameter('the pipeline is not valid UTF-8')
  const text = isForm && bytes.length > 0 ? await firstPart(bytes, headers['content-type']!) : bytes.toString()
  if (text.trim() === '') throw invalidParameter('pipeline is required in body')
  return text
}

/** The runtime reads the form from memory, so that the server's limits have counted it like any other body. */
async function firstPart(body: Buffer, contentType: string): Promise<string> {
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
  const form = await response.formData().catch((cause: unknown) => {
    throw invalidParameter(`the body is not a form as its content type says: ${contentType}`, cause)
  })
  const [first = ''] = form.values()
  return typeof first === 'string' ? first : first.text()
}

function parameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Query)[name]
  return (typeof value === 'string' ? value : value?.[0]) || undefined
}

function flag(request: FastifyRequest, name: string): boolean {
  const value = parameter(request, name) ?? 'false'
  if (value !== 'true' && value !== 'false') throw invalidParameter(`${name} must be true or false, got ${value}`)
  return value === 'true'
}

function managed(reply: FastifyReply, body: object): FastifyReply {
  const elapsed = Math.round(reply.elapsedTime)
  return head(reply).send({ ...body, execution_time_ms: elapsed })
}

function head(reply: FastifyReply): FastifyReply {
  return reply
    .header('x-svc-format', 'svc_manage')
    .header('x-svc-execution-time', String(Math.round(reply.elapsedTime)))
}
