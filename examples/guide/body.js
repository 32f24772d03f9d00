import {
  bodyBytes,
  checkJsonValues,
  definePlugin,
  ItemsError,
  Pace,
  ParseError,
  ProtoReader,
  ProtoWriter,
  runPaced,
  Type
} from 'weir-server'

export default definePlugin({
  name: 'mine',
  prefix: '/v1/mine',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    const { max_body_values } = app.core.config.http

    // A schema of the body: JSON that does not fit it is answered 400.
    const body = Type.Object({ site: Type.String(), degrees: Type.Number() })
    app.post('/one', { config: { action: 'write' }, schema: { body } }, async ({ body: { site, degrees } }) => {
      return { site, fahrenheit: degrees * 1.8 + 32 }
    })

    // Any JSON: its values are counted before it is read, in steps between which other requests run.
    app.post('/json', { config: { action: 'write' } }, async request => {
      const bytes = bodyBytes(request)
      await runPaced(new Pace(request.ctx), checkJsonValues(bytes, max_body_values))
      const items = JSON.parse(bytes.toString())
      const wrong = Array.from(items, (item, index) => ({ index, message: `expected a number, got ${typeof item}` }))
      const errors = wrong.filter(({ index }) => typeof items[index] !== 'number')
      if (errors.length > 0) throw new ItemsError(errors)
      return { count: items.length }
    })

    // Text of one's own: errors say where.
    app.post('/text', { config: { action: 'write' } }, async request => {
      const lines = bodyBytes(request).toString().split('\n')
      for (const [i, line] of lines.entries()) {
        const at = line.search(/[^a-z]/)
        if (at >= 0) throw new ParseError('expected a letter', i + 1, at + 1)
      }
      return { lines: lines.length }
    })

    // Protocol Buffers: { 1: text, 2: number } is answered by { 1: their number }.
    app.post('/proto', { config: { action: 'write' } }, async (request, reply) => {
      const reader = new ProtoReader(bodyBytes(request))
      let sum = 0
      while (reader.next()) {
        if (reader.field === 2) sum += reader.uint()
        else reader.skip()
      }
      return reply.type('application/x-protobuf').send(new ProtoWriter().uint(1, sum).bytes)
    })
  }
})
