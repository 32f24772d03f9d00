// `/v1/openapi.json` of both servers is valid by an independent validator, and describes every route.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../../core/plugin.ts'
import { routeTable } from '../../../core/server.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'

interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly security?: unknown
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly security?: unknown
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly responses: Record<string, unknown>
}

const typed = definePlugin({
  name: 'typed',
  prefix: '/v1/typed',
  servers: ['main'],
  config: Type.Object({}),
  formatError: ({ status, message }) => ({ status, contentType: 'text/plain', body: message }),
  routes(app) {
    const schema = {
      params: Type.Object({ id: Type.Integer() }),
      querystring: Type.Object({ deep: Type.Optional(Type.Boolean()) }),
      body: Type.Object({ a: Type.Number() }),
      response: { '2xx': Type.Object({ b: Type.Number() }) }
    }
    app.post('/:id/*', { schema }, async request => ({ b: request.body.a }))
  }
})

/** What is asked without a body. */
const withoutBody = /^\/(v1\/health|health|ready|admin|debug\/prof|dashboard)/

t.test('each server describes exactly what it serves', async t => {
  const server = await startServer(t, '[http]\nenable_api_server = true', { plugins: [typed] })
  for (const app of [server.main, server.public!]) {
    const answer = await app.inject('/v1/openapi.json')
    t.match(answer.headers['content-type'], /^application\/json/)
    const document = answer.json<Document>()
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
    t.ok(valid, JSON.stringify(errors))
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`)
    )
    const served = routeTable(app).map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    t.strictSame(described.sort(), served.map(route => route.replace('*', '{path}')).sort())
    const ids = Object.values(document.paths).flatMap(operations =>
      Object.values(operations).map(each => each.operationId)
    )
    t.equal(new Set(ids).size, ids.length, 'an operation has a name of its own')
  }
  const all = (await server.main.inject('/v1/openapi.json')).json<Document>().paths
  for (const [path, operations] of Object.entries(all)) {
    if (path.startsWith('/v1/typed')) continue
    for (const [method, { summary, requestBody, responses }] of Object.entries(operations)) {
      t.ok(summary, `${method} ${path} says what it does`)
      t.notMatch(JSON.stringify(responses), '*/*', `${method} ${path} says what it answers`)
      if (method === 'post' && !withoutBody.test(path)) t.ok(requestBody, `${method} ${path} says what it takes`)
    }
  }
  const { paths } = (await server.main.inject('/v1/openapi.json')).json<Document>()
  t.match(paths['/v1/typed/{id}/{path}']!['post'], {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'path', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'deep', in: 'query', required: false, schema: { type: 'boolean' } }
    ],
    requestBody: { content: { 'application/json': { schema: { required: ['a'] } } } },
    responses: { '2XX': { content: { 'application/json': { schema: { required: ['b'] } } } } }
  })
  t.equal((await server.main.inject('/v1/typed/x/y')).statusCode, 405)
  const sql = paths['/v1/sql']!
  t.match(sql['get'], { summary: 'Run SQL', responses: { default: { $ref: '#/components/responses/Error' } } })
  t.notOk(sql['get']!.requestBody)
  t.strictSame(Object.keys(sql['post']!.requestBody!.content), ['application/x-www-form-urlencoded', 'application/sql'])
})

t.test('with users, operations need credentials, unless everybody may call them', async t => {
  const folder = temporaryFolder(t)
  const users = join(folder, 'users')
  writeFileSync(users, 'a=b\n')
  const { main } = await startServer(t, `user_provider = "static_user_provider:file:${users}"`)
  t.equal((await main.inject('/v1/openapi.json')).statusCode, 401)
  const headers = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }
  const document = (await main.inject({ url: '/v1/openapi.json', headers })).json<Document>()
  t.strictSame(document.security, [{ basic: [] }, { bearer: [] }])
  t.strictSame(document.paths['/v1/health']!['get']!.security, [])
  t.notHas(document.paths['/v1/sql']!['get'], 'security')
})

t.test('a route reads the parameters that its description names', async t => {
  const { main } = await startServer(t)
  const { paths } = (await main.inject('/v1/openapi.json')).json<Document>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { summary, parameters }] of Object.entries(operations)) {
      const required = parameters.filter(each => each.in === 'query' && each.required)
      if (summary === undefined || required.length === 0) continue
      const url = path.replace('{name}', 'svc_identity')
      const answer = await main.inject({ method: method.toUpperCase() as 'GET', url })
      t.equal(answer.statusCode, 400, `${method} ${path} needs ${required.map(({ name }) => name)}`)
    }
})
