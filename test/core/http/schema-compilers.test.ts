import { createRequire } from 'node:module'
import type { InjectOptions } from 'fastify'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const { cache } = createRequire(import.meta.url)
const compiler = /node_modules\/(ajv\/dist\/core|fast-json-stringify\/index)\.js$/
const compilers = () => Object.keys(cache).filter(file => compiler.test(file)).length

const checked = definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    const headers = Type.Object({ 'X-Degrees': Type.Number({ minimum: 1 }), 'X-Site': Type.Optional(Type.String()) })
    app.get('/headers', { schema: { headers } }, request => ({ degrees: request.headers['x-degrees'] }))
    const response = { 200: Type.Object({ shown: Type.Number() }) }
    app.get('/answer', { schema: { response } }, () => ({ shown: 1, hidden: 2 }) as never)
    const querystring = Type.Object({ n: Type.Integer() })
    app.get('/query', { schema: { querystring } }, request => ({ n: request.query.n }))
    const body = Type.Object({ rows: Type.Array(Type.Object({ n: Type.Number() })) })
    app.post('/body', { schema: { body } }, request => request.body.rows)
  }
})

t.test('no compiler of schemas is loaded while no route has anything to check', async t => {
  await startServer(t)
  t.equal(compilers(), 0)
})

t.test('headers, parameters and answers of routes are checked as the framework does', async t => {
  const { main } = await startServer(t, '', { plugins: [checked] })
  t.equal(compilers(), 2)
  t.strictSame((await main.inject({ url: '/v1/mine/headers', headers: { 'X-Degrees': '7' } })).json(), { degrees: 7 })
  const refused = async (request: string | InjectOptions) => {
    const answer = await main.inject(request)
    t.equal(answer.statusCode, 400)
    return answer.json().error
  }
  const withDegrees = (value?: string) => ({ url: '/v1/mine/headers', headers: value ? { 'x-degrees': value } : {} })
  t.equal(await refused(withDegrees()), 'header x-degrees is missing')
  t.equal(await refused(withDegrees('0')), 'header x-degrees must be >= 1')
  t.equal(await refused(withDegrees('x')), 'header x-degrees must be number')
  t.strictSame((await main.inject('/v1/mine/answer')).json(), { shown: 1 })
  t.strictSame((await main.inject('/v1/mine/query?n=3')).json(), { n: 3 })
  t.equal(await refused('/v1/mine/query?n=x'), 'parameter n must be integer')
  t.equal(await refused('/v1/mine/query'), 'parameter n is missing')
  const body = (payload: string) => ({ method: 'POST', url: '/v1/mine/body', payload }) as const
  t.equal(await refused(body('{"rows":[{"n":1},{"n":[]}]}')), 'body /rows/1/n must be number')
  t.equal(await refused(body('{}')), 'body /rows is missing')
})
