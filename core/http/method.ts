// Answers 405 instead of 404 if a known path is requested with a method it does not have.
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { RouteAction } from '../auth/permission.ts'
import { needsUser } from './fence.ts'

/** A path and its methods. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly plugin: string
  readonly schema?: FastifySchema
  /** Whether it needs a user where a user provider is configured. */
  readonly needsUser: boolean
  /** The permission it declares; absent: the route or the store checks. */
  readonly action?: RouteAction
  /** Whether the plugin formats its errors. */
  readonly ownErrors: boolean
}

interface KnownRoute extends Pick<RouteOptions, 'url' | 'method'> {
  /** Registered options; hooks of the plugin still complete their `config`. */
  readonly options: RouteOptions
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Collects the routes registered from now on. Calling the result adds the missing methods of every path and returns the routes. */
export function completeMethods(app: FastifyInstance): (scope: FastifyInstance) => readonly Route[] {
  const known: KnownRoute[] = []
  app.addHook('onRoute', options => {
    // Fastify registers a route `/` with and without the slash, reports one of them, and then changes the URL in its options.
    if (options.config?.allow === undefined) known.push({ url: options.url, method: options.method, options })
  })
  return scope => {
    for (const [url, routes] of Map.groupBy(known, route => route.url)) addMissing(scope, url, routes)
    return known.flatMap(({ method, url, options: { config, schema } }) =>
      [method]
        .flat()
        .filter(name => name !== 'HEAD')
        .map(name => ({
          method: name,
          path: url,
          plugin: config?.plugin ?? 'core',
          needsUser: needsUser(url, config),
          ownErrors: config?.ownErrors === true,
          ...(config?.action !== undefined && { action: config.action }),
          ...(schema !== undefined && { schema })
        }))
    )
  }
}

/** The error handler answers these because of `allow`, before the route's handler runs. */
function addMissing(scope: FastifyInstance, url: string, routes: readonly KnownRoute[]): void {
  const there = methods.filter(method => scope.hasRoute({ url, method }))
  const present = new Set([...routes.flatMap(({ method }) => method), ...there])
  const config = {
    ...routes[0]!.options.config,
    allow: [...present].join(', '),
    public: routes.every(({ options }) => options.config?.public === true)
  }
  const method = methods.filter(name => !present.has(name))
  scope.route({ method, url, config, exposeHeadRoute: false, handler: async () => undefined })
}
