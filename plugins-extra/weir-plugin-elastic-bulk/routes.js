// The bulk API, single documents, and what senders ask before they send.
import { Readable } from 'node:stream'
import { bodyBytes, DbError, parameterOf } from 'weir-server'
import { bulkAnswer, contentTypeOf, product, resultOf, wantedOf } from './reply.js'
import * as schemas from './schemas.js'

/** @import { FastifyReply, FastifyRequest } from 'fastify' */
/** @import { PluginApp } from 'weir-server' */
/** @import { Options } from './options.js' */
/** @import { Receive } from './receive.js' */

/**
 * Answers a request.
 * @typedef {(request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>} Handle
 */

const config = /** @type {const} */ ({ action: 'write' })
const writing = /** @type {('POST' | 'PUT')[]} */ (['POST', 'PUT'])

/**
 * Adds the routes to the server. What senders ask before they send says nothing of the data: any user may ask it.
 * @param {PluginApp<'pipelines', never, { readonly elastic: Receive }>} app
 * @param {Pick<Options, 'version'>} options
 * @param {Receive} receive
 */
export function routes(app, { version }, receive) {
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(product)
  })
  addWrites(app, receive)
  addAnswers(app, version)
}

/** @param {PluginApp} app @param {Receive} receive */
function addWrites(app, receive) {
  /** @type {Handle} */
  const bulk = async (request, reply) => {
    const { ctx, headers } = request
    const started = performance.now()
    const actions = await receive.bulk(ctx, headers, bodyBytes(request), {
      index: pathOf(request).index,
      pipeline: parameterOf(request, 'pipeline')
    })
    const took = Math.round(performance.now() - started)
    const pieces = bulkAnswer(actions, took, wantedOf(parameterOf(request, 'filter_path')))
    return reply.type(contentTypeOf(headers)).send(Readable.from(pieces, { objectMode: false }))
  }
  for (const url of ['/_bulk', '/:index/_bulk', '/:index/:type/_bulk'])
    app.route({ method: writing, url, schema: schemas.bulk, config, handler: bulk })

  /** @param {'index' | 'create'} operation @returns {Handle} */
  const single = operation => async (request, reply) => {
    const { index, id } = pathOf(request)
    const action = { [operation]: { _index: index, ...(id !== undefined && { _id: id }) } }
    const body = Buffer.concat([Buffer.from(`${JSON.stringify(action)}\n`), onOneLine(bodyBytes(request))])
    const defaults = { pipeline: parameterOf(request, 'pipeline') }
    const [done] = await receive.bulk(request.ctx, request.headers, body, defaults)
    if (done.error !== undefined)
      throw new DbError('InvalidArguments', done.error.reason, { status: done.error.status ?? 400 })
    return send(request, reply.code(201), resultOf(done))
  }
  const schema = schemas.single
  app.post('/:index/_doc', { schema, config }, single('index'))
  app.route({ method: writing, url: '/:index/_doc/:id', schema, config, handler: single('index') })
  app.route({ method: writing, url: '/:index/_create/:id', schema, config, handler: single('create') })
}

/** @param {PluginApp} app @param {string} version */
function addAnswers(app, version) {
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
  const health = { cluster_name: 'weir', status: 'green', timed_out: false, number_of_nodes: 1 }
  app.get('/', { schema: schemas.about }, say(info))
  app.get('/_license', { schema: schemas.licenses }, say({ license }))
  app.get('/_xpack', { schema: schemas.features }, say({ license, features: {} }))
  app.get('/_cluster/health', { schema: schemas.health }, say(health))

  // Templates and policies are none of ours: they are taken and forgotten, and whoever asks whether there is one is told yes.
  for (const kind of ['_index_template', '_component_template', '_template', '_ilm/policy', '_data_stream']) {
    const url = `/${kind}/:name`
    app.get(url, { schema: schemas.setting }, say({}))
    app.route({ method: writing, url, schema: schemas.forgotten, config, handler: say({ acknowledged: true }) })
  }
  app.put('/:index', { schema: schemas.created, config }, async (request, reply) =>
    send(request, reply, { acknowledged: true, shards_acknowledged: true, index: pathOf(request).index })
  )
  app.put('/_ingest/pipeline/:name', { schema: schemas.refused, config }, async () => {
    throw new DbError('Unsupported', 'pipelines are documents of this server: POST /v1/pipelines/NAME')
  })
}

/** @param {object} value @returns {Handle} */
function say(value) {
  return async (request, reply) => send(request, reply, value)
}

/**
 * As JSON, by the content type the client wants.
 * @param {Pick<FastifyRequest, 'headers'>} request
 * @param {Pick<FastifyReply, 'type' | 'send'>} reply
 * @param {object} value
 */
function send({ headers }, reply, value) {
  return reply.type(contentTypeOf(headers)).send(JSON.stringify(value))
}

/**
 * The parameters of the path, as far as the route has them.
 * @param {{ readonly params: unknown }} request
 */
function pathOf({ params }) {
  return /** @type {{ readonly index?: string, readonly id?: string }} */ (params)
}

/**
 * Line ends of JSON mean nothing: those in texts are escaped.
 * @param {Buffer} json
 */
function onOneLine(json) {
  return json.map(byte => (byte === 10 || byte === 13 ? 32 : byte))
}
