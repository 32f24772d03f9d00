// Records requests of the server's administration in the audit log, if they change something that is not a table.
import type { FastifyInstance } from 'fastify'
import type { Audit } from '../audit.ts'
import type { ServerKind } from './context.ts'

/** Plugins whose requests are administration, unless they only read. */
const plugins: ReadonlySet<string> = new Set(['admin', 'profiling', 'pipelines', 'dashboard'])

export function auditCalls(app: FastifyInstance, server: ServerKind, audit: Pick<Audit, 'record'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { config } = request.routeOptions
    const looks = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
    if (!looks && plugins.has(config.plugin ?? '')) {
      const target = `${request.method} ${request.url.split('?')[0]}`
      const failure = reply.getHeader('x-svc-err-code')
      const result = failure === undefined && reply.statusCode < 400 ? 'ok' : String(failure ?? reply.statusCode)
      audit.record({ action: 'call', user: request.user?.name ?? '', address: request.ip, server, target, result })
    }
    done()
  })
}
