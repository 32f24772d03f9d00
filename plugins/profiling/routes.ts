// Routes of profiles: CPU, heap, and flame graphs of uploaded dumps.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import {
  anyContent,
  bodyBytes,
  DbError,
  type Parameters,
  type PluginApp,
  parseParameters,
  plainText
} from '../../core/index.ts'
import { drawFlameGraph, flameGraphPolicy } from './output/flame-graph.ts'
import { encodePprof } from './output/pprof.ts'
import { writeText } from './output/text.ts'
import { type CpuLimits, type Output, readActivate, readCpuOptions, readOutput } from './parameters.ts'
import type { Profile } from './profile.ts'
import { type Profiling, titleOf } from './service.ts'

/** A profile takes as long as requested, and pages of other origins may not request one. */
const guarded = { config: { sameOrigin: true, timeLimit: false } }

const text = (description: string) => Type.Optional(Type.String({ description }))
const output = text('`proto` (pprof), `text` or `flamegraph`.')
const picture = { 'image/svg+xml': anyContent }
const profile = { 'application/octet-stream': anyContent, ...plainText, ...picture }
const active = { 'application/json': Type.Object({ active: Type.Boolean() }) }
const switching = Type.Object({ activate: Type.String({ description: '`true` or `false`.' }) })
const described = (summary: string, produces: object, more: object = {}) => ({
  ...guarded,
  schema: { summary, produces: produces as typeof plainText, ...more }
})

export function routes(app: PluginApp<never, never>, limits: CpuLimits, { cpu, heap, gdump, draw }: Profiling): void {
  const times = { seconds: text('Length of the profile.'), frequency: text('Samples a second.'), output }
  app.post(
    '/cpu',
    described('A profile of the processor', profile, { parameters: Type.Object(times) }),
    async (request, reply) => {
      const query = request.query as Parameters
      const output = readOutput(query, 'proto')
      const options = readCpuOptions(query, limits)
      return send(reply, await cpu(options, request.ctx.signal), output)
    }
  )

  app.post(
    '/mem',
    described('A profile of the heap', profile, { parameters: Type.Object({ output }) }),
    async (request, reply) => {
      const output = readOutput(request.query as Parameters, 'text')
      const profile = await heap.dump()
      if (profile !== undefined) return send(reply, profile, output)
      const message = 'heap profiling is not active: switch it on with POST /debug/prof/mem/activate, then dump'
      throw new DbError('IllegalState', message, { status: 409 })
    }
  )
  app.get('/mem/status', described('Whether the heap is profiled', active), async () => ({ active: heap.isActive() }))
  app.post('/mem/activate', described('Profile the heap', plainText), async (_request, reply) => {
    await heap.activate()
    return sendText(reply, 'Heap profiling activated')
  })
  app.post('/mem/deactivate', described('Profile the heap no more', plainText), async (_request, reply) => {
    gdump.deactivate()
    await heap.deactivate()
    return sendText(reply, 'Heap profiling deactivated')
  })

  app.get('/mem/gdump', described('Whether the heap is dumped when it grows', active), async () => ({
    active: gdump.isActive()
  }))
  const form = { consumes: { 'application/x-www-form-urlencoded': switching } }
  app.post(
    '/mem/gdump',
    described('Dump the heap when it grows, or no more', plainText, form),
    async (request, reply) => {
      const form = parseParameters(bodyBytes(request).toString())
      const isOn = readActivate(form, request.query as Parameters)
      if (isOn) await gdump.activate()
      else gdump.deactivate()
      return sendText(reply, isOn ? 'gdump activated' : 'gdump deactivated')
    }
  )

  const dump = { consumes: { 'application/octet-stream': anyContent } }
  app.post('/mem/symbol', described('Draw a dump of a heap', picture, dump), async (request, reply) => {
    const bytes = bodyBytes(request)
    if (bytes.length > 0) return sendPicture(reply, await draw(bytes, request.ctx.signal))
    const expected = 'a .heapprofile, a .heapsnapshot or a file of pprof, gzipped or not'
    throw new DbError('InvalidArguments', `the body is empty, expected ${expected}`)
  })
}

async function send(reply: FastifyReply, profile: Profile, output: Output): Promise<FastifyReply> {
  if (output === 'text') return sendText(reply, writeText(profile, titleOf(profile)))
  if (output === 'flamegraph') return sendPicture(reply, drawFlameGraph(profile, titleOf(profile)))
  const name = `${profile.kind}-${new Date(profile.time).toISOString().replace(/[-:]|\.\d+/g, '')}.pb.gz`
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(await encodePprof(profile))
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}

function sendPicture(reply: FastifyReply, svg: string): FastifyReply {
  return reply
    .type('image/svg+xml')
    .header('content-security-policy', flameGraphPolicy)
    .header('x-content-type-options', 'nosniff')
    .send(svg)
}
