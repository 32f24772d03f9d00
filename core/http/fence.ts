// The paths that the public server may serve.
import type { FastifyInstance } from 'fastify'

/** Whether the path of a URL is `folder` itself or below it. */
export function isUnder(url: string, folder: string): boolean {
  if (!url.startsWith(folder)) return false
  const next = url[folder.length]
  return next === undefined || next === '/' || next === '?'
}

/** Throws at the start if a plugin registers a route outside `/v1` and `/dashboard`. */
export function fencePublic(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url }) => {
    if (isUnder(url, '/v1') || isUnder(url, '/dashboard')) return
    throw new Error(`the public server serves only /v1 and /dashboard, but a plugin registers ${url} on it`)
  })
}
