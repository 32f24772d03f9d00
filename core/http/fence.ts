// The paths that the public server may serve, and those that need a user.
import type { FastifyContextConfig, FastifyInstance } from 'fastify'

/** Whether the path of a URL is `folder` itself or below it. */
export function isUnder(url: string, folder: string): boolean {
  if (!url.startsWith(folder)) return false
  const next = url[folder.length]
  return next === undefined || next === '/' || next === '?'
}

/** Whether a route needs a user where a user provider is configured: everything under `/v1`, and what is private, unless it is public. */
export function needsUser(url: string, config: FastifyContextConfig | undefined): boolean {
  return (config?.private === true || isUnder(url, '/v1')) && config?.public !== true
}

/** Throws at the start if a plugin registers a route outside `/v1` and `/dashboard`. */
export function fencePublic(app: FastifyInstance): void {
  app.addHook('onRoute', ({ url }) => {
    if (isUnder(url, '/v1') || isUnder(url, '/dashboard')) return
    throw new Error(`the public server serves only /v1 and /dashboard, but a plugin registers ${url} on it`)
  })
}
