// `/dashboard/…`: files of the web application. Every other path answers with its start page, whose script shows the page of that path.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DbError, type PluginApp, version } from '../../core/index.ts'
import type { DashboardPage, DashboardService } from '../services.ts'
import { boardRoutes } from './boards/routes.ts'
import type { Boards } from './boards/store.ts'
import { readHome } from './home.ts'

/** The content security policy: pages load only from this server, and run no inline scripts. */
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

/** The plugin's whole service; other plugins see `DashboardService` only. */
export interface OwnService extends DashboardService {
  readonly boards: Boards
}

const json = { 'application/json': Type.Unknown() }
const html = { 'text/html': Type.String() }
const schemas = {
  start: { summary: 'To the dashboard', produces: html },
  pages: { summary: 'Pages that plugins add', produces: json },
  page: { summary: 'The module of a page', produces: { 'text/javascript': Type.String() } },
  home: { summary: 'What the first page shows', produces: json },
  files: { summary: 'The dashboard', produces: html }
}

/** `folder` contains the built web application; if it is missing, its routes answer 404 and name the command that builds it. */
export async function routes(app: PluginApp<'dashboard', never>, dashboard: OwnService, folder: string): Promise<void> {
  const isBuilt = existsSync(join(folder, 'index.html'))
  if (isBuilt) {
    await app.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false })
  }
  app.addHook('onRequest', async (_, reply) => {
    reply.headers(protection)
    if (!isBuilt) throw missing('this build has no dashboard: npm run build:dashboard makes it')
  })
  const method = ['GET', 'POST']

  app.route({
    method,
    url: '',
    schema: schemas.start,
    handler: async (request, reply) => reply.redirect(`/dashboard/${queryOf(request)}`, 308)
  })
  app.route({
    method,
    url: '/pages.json',
    schema: schemas.pages,
    handler: async ({ ctx }) => pagesOf(dashboard, ctx.channel).map(({ name, title }) => ({ name, title }))
  })
  app.route({
    method,
    url: '/pages/:file',
    schema: schemas.page,
    handler: async (request, reply) => {
      const { file } = request.params as { readonly file: string }
      const page = pagesOf(dashboard, request.ctx.channel).find(({ name }) => `${name}.js` === file)
      if (page === undefined) throw missing(`no plugin adds a page ${file}`)
      return reply
        .type('text/javascript')
        .header('cache-control', 'no-cache')
        .send(await readModule(page))
    }
  })
  app.route({
    method,
    url: '/api/home',
    schema: schemas.home,
    config: { private: true, action: 'read_all' },
    async handler(_, reply) {
      return reply.header('cache-control', 'no-store').send(await readHome(app.core, version))
    }
  })
  boardRoutes(app, dashboard.boards)
  app.route({
    method,
    url: '/*',
    schema: schemas.files,
    handler: async (request, reply) => sendAsset(request, reply, folder)
  })
}

function pagesOf(dashboard: DashboardService, channel: string): readonly DashboardPage[] {
  return dashboard.pages().filter(({ servers }) => servers === undefined || servers.some(server => server === channel))
}

/** The page's JavaScript. A plugin that runs from source has its page in TypeScript, so types are stripped. */
async function readModule({ module }: DashboardPage): Promise<string> {
  const source = await readFile(module, 'utf8')
  return String(module).endsWith('.ts') ? stripTypeScriptTypes(source) : source
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, folder: string): Promise<unknown> {
  const { '*': path } = request.params as { readonly '*': string }
  const isAsset = path.startsWith('assets/')
  if (isAsset && !(/^assets\/[\w-][\w.-]*$/.test(path) && existsSync(join(folder, path))))
    throw missing(`no such file: ${path}`)
  // Names of assets contain a hash of the content, so they may be cached for ever.
  reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
  return reply.sendFile(isAsset ? path : 'index.html')
}

function missing(message: string): DbError {
  return new DbError('InvalidArguments', message, { status: 404 })
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}
