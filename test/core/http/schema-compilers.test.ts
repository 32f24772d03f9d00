import { createRequire } from 'node:module'
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
  for (const headers of [{}, { 'x-degrees': '0' }, { 'x-degrees': 'x' }]) {
    const answer = await main.inject({ url: '/v1/mine/headers', headers })
    t.equal(answer.statusCode, 400, JSON.stringify(headers))
    t.match(answer.json().error, /headers.*degrees/)
  }
  t.strictSame((await main.inject('/v1/mine/answer')).json(), { shown: 1 })
  t.strictSame((await main.inject('/v1/mine/query?n=3')).json(), { n: 3 })
  t.equal((await main.inject('/v1/mine/query?n=x')).statusCode, 400)
})
