// `POST /v1/metricsys/write` and `POST /v1/metricsys/read`.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyContent, bodyBytes, firstValue, noBody, type Parameters, type PluginApp } from '../../core/index.ts'
import { requestedPipeline } from '../services.ts'
import { answerRead, type ReadOptions } from './read/answer.ts'
import { defaultPhysicalTable } from './write/columns.ts'
import { codecOf, readVersion, versionOf } from './write/negotiate.ts'
import type { Receive, Written } from './write/receive.ts'

const written = {
  samples: 'x-prometheus-remote-write-samples-written',
  histograms: 'x-prometheus-remote-write-histograms-written',
  exemplars: 'x-prometheus-remote-write-exemplars-written'
} as const

const physical_table = Type.Optional(Type.String({ description: 'Table that holds the samples of all metrics.' }))
const protobuf = { 'application/x-protobuf': anyContent }
const schemas = {
  write: {
    ...{ summary: 'Prometheus remote write, 1.0 and 2.0', parameters: Type.Object({ physical_table }) },
    ...{ consumes: protobuf, produces: noBody }
  },
  read: {
    ...{ summary: 'Prometheus remote read', consumes: protobuf },
    produces: { ...protobuf, 'application/x-streamed-protobuf': anyContent }
  }
}

export function routes(app: PluginApp<never, 'pipelines'>, options: ReadOptions, receive: Receive): void {
  // Version 2.0 requires these headers in every answer; without them a sender falls back to 1.0.
  const countNothing = (request: FastifyRequest, reply: FastifyReply) => {
    if (readVersion(request.headers['content-type']) !== '2.0') return
    for (const name of Object.values(written)) if (!reply.hasHeader(name)) reply.header(name, '0')
  }
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.url?.endsWith('/write')) countNothing(request, reply)
  })

  app.post('/write', { schema: schemas.write, config: { action: 'write', rawBody: true } }, async (request, reply) => {
    const { ctx, headers } = request
    const query = request.query as Parameters
    if (firstValue(query, 'get_vm_proto_version') !== undefined) return reply.type('text/plain').send('1')
    const version = versionOf(headers)
    const codec = codecOf(headers, version)
    const { physical_table: hinted } = ctx.hints.options
    const physicalTable = firstValue(query, 'physical_table') || hinted || defaultPhysicalTable
    const pipeline = version === '1.0' ? requestedPipeline(app.services.pipelines, headers) : undefined
    const { returnBody: bodyRead } = request.lifetime
    const body = bodyBytes(request)
    const result = await receive(ctx, { version, codec, physicalTable, body, bodyRead, ...(pipeline && { pipeline }) })
    if (version === '2.0') tell(reply, result)
    if (result.error !== undefined) throw result.error
    return reply.code(204).send()
  })

  app.post('/read', { schema: schemas.read, config: { action: 'read', rawBody: true } }, async (request, reply) => {
    const { kind, body } = await answerRead(app.core, request.ctx, bodyBytes(request), options)
    if (kind === 'chunks') {
      reply.header('content-type', 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse')
      return reply.send(Readable.from(body as AsyncIterable<Uint8Array>, { objectMode: false }))
    }
    reply.header('content-type', 'application/x-protobuf').header('content-encoding', 'snappy')
    return reply.send(body)
  })
}

function tell(reply: FastifyReply, result: Written): void {
  for (const [kind, header] of Object.entries(written))
    reply.header(header, String(result[kind as keyof typeof written]))
}
