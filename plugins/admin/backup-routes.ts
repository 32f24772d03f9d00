// Routes of backups: begin one, download its files from any offset, end it.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyContent, DbError, noBody, type PluginApp } from '../../core/index.ts'
import type { Backups } from './backup.ts'

const schemas = {
  begin: { summary: 'Begin a backup', produces: { 'application/json': Type.Object({}) } },
  read: { summary: 'A file of a backup', produces: { 'application/octet-stream': anyContent } },
  end: { summary: 'End a backup', produces: noBody }
}

const guarded = { config: { private: true, sameOrigin: true, timeLimit: false } }

export function backupRoutes(app: PluginApp<never, never>, backups: Backups): void {
  app.post('/admin/backup', { schema: schemas.begin, ...guarded }, async (request, reply) => {
    const { id, manifest } = await backups.begin(request.ctx)
    return reply.code(201).header('location', `/admin/backup/${id}`).type('application/json').send(manifest)
  })
  app.get<{ Params: { id: string; file: string } }>(
    '/admin/backup/:id/:file',
    { schema: schemas.read, ...guarded },
    async (request, reply) => {
      const { id, file: index } = request.params
      const file = backups.file(request.ctx, id, /^\d{1,9}$/.test(index) ? Number(index) : -1)
      const from = startOf(request, file.bytes)
      describe(reply, from, file.bytes)
      return reply.send(Readable.from(file.read(from), { objectMode: false }))
    }
  )
  app.delete<{ Params: { id: string } }>(
    '/admin/backup/:id',
    { schema: schemas.end, ...guarded },
    async (request, reply) => {
      backups.end(request.ctx, request.params.id)
      return reply.code(204).send()
    }
  )
}

/** Supports only the form needed to resume, `bytes=N-`; any other range gets the whole file, as RFC 9110, 14.2 allows. */
function startOf({ headers }: FastifyRequest, bytes: number): number {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(headers.range ?? '')?.[1] ?? 0)
  if (from === 0 || from < bytes) return from
  throw new DbError('InvalidArguments', `the file has ${bytes} bytes, none from ${from} on`, { status: 416 })
}

function describe(reply: FastifyReply, from: number, bytes: number): void {
  reply
    .type('application/octet-stream')
    .header('accept-ranges', 'bytes')
    .header('content-length', bytes - from)
  if (from > 0) reply.code(206).header('content-range', `bytes ${from}-${bytes - 1}/${bytes}`)
}
