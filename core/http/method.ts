// 405 instead of 404: every known path answers the methods it does not have.
import type { FastifyInstance, RouteOptions } from 'fastify'

/** A path and what it answers. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly plugin: string
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Collects the routes registered from now on; calling the result adds the missing methods of every path and returns the routes. */
export function completeMethods(app: FastifyInstance): (scope: FastifyInstance) => readonly Route[] {
  const known: RouteOptions[] = []
  app.addHook('onRoute', route => {
    if (route.config?.allow === undefined) known.push(route)
  })
  return scope => {
    for (const [url, routes] of Map.groupBy(known, route => route.url)) addMissing(scope, url, routes)
    return known.flatMap(({ method, url, config }) =>
      [method]
        .flat()
        .filter(name => name !== 'HEAD')
        .map(name => ({ method: name, path: url, plugin: config?.plugin ?? 'core' }))
    )
  }
}

/** The error handling refuses these by their `allow` before the handler is reached. */
function addMissing(scope: FastifyInstance, url: string, routes: readonly RouteOptions[]): void {
  const present = new Set(routes.flatMap(route => route.method))
  const config = {
    ...routes[0]!.config,
    allow: [...present].join(', '),
    public: routes.every(route => route.config?.public === true)
  }
  const method = methods.filter(name => !present.has(name))
  scope.route({ method, url, config, exposeHeadRoute: false, handler: async () => undefined })
}
