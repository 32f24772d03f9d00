// 405 instead of 404: every known path answers the methods it does not have.
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'

/** A path and what it answers. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly plugin: string
  readonly schema?: FastifySchema
  /** Whether nobody needs credentials for it. */
  readonly isPublic: boolean
  /** Whether its errors are shaped by the plugin. */
  readonly ownErrors: boolean
}

interface KnownRoute extends Pick<RouteOptions, 'url' | 'method'> {
  /** Hooks of its plugin still complete its `config`. */
  readonly options: RouteOptions
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Collects the routes registered from now on; calling the result adds the missing methods of every path and returns the routes. */
export function completeMethods(app: FastifyInstance): (scope: FastifyInstance) => readonly Route[] {
  const known: KnownRoute[] = []
  app.addHook('onRoute', options => {
    // A route of `/` is registered with and without the slash: the framework tells of one, and then changes the URL of its options.
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
          isPublic: config?.public === true,
          ownErrors: config?.ownErrors === true,
          ...(schema !== undefined && { schema })
        }))
    )
  }
}

/** The error handling refuses these by their `allow` before the handler is reached. */
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
