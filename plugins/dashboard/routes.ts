// Files of the dashboard, `/dashboard/…`: what is no file is a place inside of the page.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DbError, type PluginApp } from '../../core/index.ts'
import type { DashboardPage, DashboardService } from '../services.ts'

const assets = fileURLToPath(new URL('./assets/', import.meta.url))

/** Nothing is loaded from elsewhere, and nothing runs that is not a file of ours. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

const protection = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin'
}

/** None in a build without the dashboard. */
export async function routes(app: PluginApp<'dashboard', never>, dashboard: DashboardService): Promise<void> {
  if (!existsSync(`${assets}index.html`)) return
  await app.register(fastifyStatic, { root: assets, serve: false, preCompressed: true, cacheControl: false })
  app.addHook('onRequest', async (_, reply) => void reply.headers(protection))
  const method = ['GET', 'POST']

  app.route({
    method,
    url: '',
    handler: async (request, reply) => reply.redirect(`/dashboard/${queryOf(request)}`, 308)
  })
  app.route({
    method,
    url: '/pages.json',
    handler: async ({ ctx }) => pagesOf(dashboard, ctx.channel).map(({ name, title }) => ({ name, title }))
  })
  app.route({
    method,
    url: '/pages/:file',
    handler: async (request, reply) => {
      const { file } = request.params as { readonly file: string }
      const page = pagesOf(dashboard, request.ctx.channel).find(({ name }) => `${name}.js` === file)
      if (page === undefined) throw new DbError('InvalidArguments', `no plugin adds a page ${file}`, { status: 404 })
      return reply
        .type('text/javascript')
        .header('cache-control', 'no-cache')
        .send(await readFile(page.module))
    }
  })
  app.route({ method, url: '/*', handler: async (request, reply) => sendAsset(request, reply) })
}

function pagesOf(dashboard: DashboardService, channel: string): readonly DashboardPage[] {
  return dashboard.pages().filter(({ servers }) => servers === undefined || servers.some(server => server === channel))
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { '*': path } = request.params as { readonly '*': string }
  const isAsset = path.startsWith('assets/')
  if (isAsset && !existsSync(assets + path))
    throw new DbError('InvalidArguments', `no such file: ${path}`, { status: 404 })
  // Names of assets say what is in them.
  reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
  return reply.sendFile(isAsset ? path : 'index.html')
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}
