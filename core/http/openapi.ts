// `/v1/openapi.json`: describes a server's routes as OpenAPI 3.1, from the schemas of the routes.
import { STATUS_CODES } from 'node:http'
import { Type } from 'typebox'
import { definePlugin } from '../plugin.ts'
import { version } from '../version.ts'
import type { Route } from './method.ts'

const errorBody = {
  type: 'object',
  required: ['code', 'error', 'execution_time_ms'],
  properties: {
    code: { type: 'integer', description: 'docs/errors.md lists them.' },
    error: { type: 'string' },
    execution_time_ms: { type: 'integer' }
  }
}

/** The document of the requested server, with the routes of that server only. */
export const openapi = definePlugin({
  name: 'core',
  prefix: '/v1/openapi.json',
  servers: ['main', 'public'],
  config: Type.Object({}),
  routes(app) {
    let text: string | undefined
    app.get(
      '',
      { schema: { summary: 'This document', produces: { 'application/json': Type.Object({}) } } },
      async (_request, reply) => {
        text ??= JSON.stringify(
          describeRoutes(app.getDecorator<readonly Route[]>('routes'), app.core.users !== undefined)
        )
        return reply.type('application/json').send(text)
      }
    )
  }
})

/** An OpenAPI 3.1 document of these routes; `hasUsers`: requests need credentials. */
function describeRoutes(routes: readonly Route[], hasUsers: boolean): object {
  const byPath = Map.groupBy(routes, ({ path }) => templateOf(path))
  return {
    openapi: '3.1.0',
    info: { title: 'Weir', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    ...(hasUsers && { security: [{ basic: [] }, { bearer: [] }] }),
    tags: [...new Set(routes.map(({ plugin }) => plugin))].sort().map(name => ({ name })),
    paths: Object.fromEntries([...byPath].sort().map(([path, each]) => [path, operationsOf(each, hasUsers)])),
    components: {
      schemas: { Error: errorBody },
      responses: {
        Error: {
          description: 'What is wrong',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
        }
      },
      securitySchemes: { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } }
    }
  }
}

/** `/v1/pipelines/:name` as `/v1/pipelines/{name}`. */
function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replaceAll('*', '{path}')
}

function operationsOf(routes: readonly Route[], hasUsers: boolean): object {
  return Object.fromEntries(routes.map(route => [route.method.toLowerCase(), operationOf(route, hasUsers)]))
}

function operationOf({ method, path, plugin, schema = {}, needsUser, ownErrors }: Route, hasUsers: boolean): object {
  const { summary, parameters, consumes, querystring, body, response } = schema
  const bodies = { ...(body !== undefined && { 'application/json': body }), ...consumes }
  const hasBody = method !== 'GET' && method !== 'DELETE' && Object.keys(bodies).length > 0
  const produces = schema.produces ?? { '*/*': {} }
  const named = propertiesOf(querystring ?? parameters)
  return {
    operationId: [method.toLowerCase(), ...templateOf(path).split(/\W+/).filter(Boolean)].join('_'),
    tags: [plugin],
    ...(summary !== undefined && { summary }),
    parameters: [
      ...[...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        ...{ name, in: 'path', required: true },
        schema: propertiesOf(schema.params).find(each => each.name === name)?.schema ?? { type: 'string' }
      })),
      ...named.map(({ name, schema, required }) => ({
        name,
        in: 'query',
        // The parameter may be in a form instead.
        required: required && !hasBody,
        ...(schema.description !== undefined && { description: schema.description }),
        schema
      }))
    ],
    ...(hasBody && { requestBody: { content: contentOf(bodies) } }),
    responses: {
      ...(response === undefined
        ? Object.keys(produces).length === 0
          ? { 204: { description: 'Done' } }
          : { 200: { description: 'Done', content: contentOf(produces) } }
        : Object.fromEntries(
            Object.entries(response as object).map(([status, schema]) => [
              status.replace(/^(\d)xx$/i, '$1XX'),
              { description: STATUS_CODES[status] ?? status, content: contentOf({ 'application/json': schema }) }
            ])
          )),
      default: ownErrors
        ? { description: 'What is wrong, as the protocol says it' }
        : { $ref: '#/components/responses/Error' }
    },
    ...(hasUsers && !needsUser && { security: [] })
  }
}

function contentOf(bodies: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]))
}

interface Property {
  readonly name: string
  readonly required: boolean
  readonly schema: { readonly description?: string }
}

function propertiesOf(schema: unknown): readonly Property[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, Property['schema']>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}
