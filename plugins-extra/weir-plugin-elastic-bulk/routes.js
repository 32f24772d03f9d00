// The bulk API, single documents, and what senders ask before they send.
import { Readable } from 'node:stream'
import { bodyBytes, DbError, firstValue } from 'weir-server'
import { bulkAnswer, contentTypeOf, product, resultOf, wantedOf } from './reply.js'

const write = { config: { action: 'write' } }
/** What senders ask before they send says nothing of the data. */
const open = {}

export function routes(app, { version }, receive) {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(product)
  })
  const send = (request, reply, value) => reply.type(contentTypeOf(request.headers)).send(JSON.stringify(value))
  const say = value => async (request, reply) => send(request, reply, value)
  /** Templates and policies are none of ours: they are taken and forgotten, and whoever asks whether there is one is told yes. */
  const pretend = path => {
    app.get(path, open, say({}))
    for (const method of ['put', 'post']) app[method](path, write, say({ acknowledged: true }))
  }

  const bulk = async (request, reply) => {
    const { query, ctx, headers } = request
    const started = performance.now()
    const actions = await receive.bulk(ctx, headers, bodyBytes(request), {
      index: request.params.index,
      pipeline: firstValue(query, 'pipeline')
    })
    const took = Math.round(performance.now() - started)
    const pieces = bulkAnswer(actions, took, wantedOf(firstValue(query, 'filter_path')))
    return reply.type(contentTypeOf(headers)).send(Readable.from(pieces, { objectMode: false }))
  }
  for (const path of ['/_bulk', '/:index/_bulk', '/:index/:type/_bulk'])
    for (const method of ['post', 'put']) app[method](path, write, bulk)

  const single = operation => async (request, reply) => {
    const { query, ctx, headers, params } = request
    const action = { [operation]: { _index: params.index, ...(params.id !== undefined && { _id: params.id }) } }
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(action)}\n`), onOneLine(bodyBytes(request))])
    const [done] = await receive.bulk(ctx, headers, body, { pipeline: firstValue(query, 'pipeline') })
    if (done.error !== undefined)
      throw new DbError('InvalidArguments', done.error.reason, { status: done.error.status ?? 400 })
    reply.code(201)
    return send(request, reply, resultOf(done))
  }
  app.post('/:index/_doc', write, single('index'))
  for (const method of ['post', 'put']) {
    app[method]('/:index/_doc/:id', write, single('index'))
    app[method]('/:index/_create/:id', write, single('create'))
  }

  const cluster = { cluster_name: 'weir', cluster_uuid: 'weir' }
  const license = { status: 'active', uid: 'weir', type: 'basic', mode: 'basic' }
  const about = {
    number: version,
    build_flavor: 'default',
    build_type: 'tar',
    build_hash: 'weir',
    build_date: '2026-01-01T00:00:00.000Z',
    build_snapshot: false,
    lucene_version: '9.12.0',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0'
  }
  const info = { name: 'weir', ...cluster, version: about, tagline: 'You Know, for Search' }
  app.get('/', open, say(info))
  app.get('/_license', open, say({ license }))
  app.get('/_xpack', open, say({ license, features: {} }))
  app.get(
    '/_cluster/health',
    open,
    say({ cluster_name: 'weir', status: 'green', timed_out: false, number_of_nodes: 1 })
  )
  for (const kind of ['_index_template', '_component_template', '_template', '_ilm/policy', '_data_stream'])
    pretend(`/${kind}/:name`)
  app.put('/:index', write, async (request, reply) =>
    send(request, reply, { acknowledged: true, shards_acknowledged: true, index: request.params.index })
  )
  app.put('/_ingest/pipeline/:name', write, async () => {
    throw new DbError('Unsupported', 'pipelines are documents of this server: POST /v1/pipelines/NAME')
  })
}

/** Line ends of JSON mean nothing: those in texts are escaped. */
function onOneLine(json) {
  return json.map(byte => (byte === 10 || byte === 13 ? 32 : byte))
}
