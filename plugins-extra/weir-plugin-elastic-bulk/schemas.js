// What the routes say of themselves in `/v1/openapi.json`. Nothing of it is checked: senders send more than they need to.
import { Type } from 'weir-server'

/** @import { FastifySchema } from 'fastify' */
/** @param {Parameters<typeof Type.Object>[0]} properties */
const json = properties => ({ 'application/json': Type.Object(properties) })

/** @param {string} description */
const text = description => Type.Optional(Type.String({ description }))

const db = text('Database; without it the header `x-svc-db-name` counts, else `public`.')
const pipeline = text('Pipeline of this server, where an action and the header `x-svc-pipeline-name` name none.')
const error = Type.Object({ type: Type.String(), reason: Type.String() })
const errorBody = Type.Object({ error, status: Type.Integer() })
const license = Type.Object({ status: Type.String(), type: Type.String(), mode: Type.String(), uid: Type.String() })

/** Of one document. */
const result = {
  _index: Type.Optional(Type.String()),
  _id: Type.Optional(Type.String()),
  result: Type.Optional(Type.String({ description: '`created`' })),
  status: Type.Integer(),
  error: Type.Optional(error)
}

const lines = Type.String({
  description: 'Lines of actions, `{"index":{"_index":"shop"}}`, each followed by a line with its document.'
})

export const bulk = {
  summary: 'Store documents',
  parameters: Type.Object({
    db,
    pipeline,
    filter_path: text('Members of results that are answered: `errors,items.*.error,items.*.status`.')
  }),
  consumes: { 'application/x-ndjson': lines, 'application/json': lines },
  produces: json({
    took: Type.Integer({ description: 'Milliseconds.' }),
    errors: Type.Boolean({ description: 'Whether a document was not stored.' }),
    items: Type.Array(Type.Record(Type.String(), Type.Object(result)), {
      description: 'The result of each action, in order, under the name of its operation.'
    })
  })
}

/** @type {FastifySchema} */
export const single = {
  summary: 'Store a document',
  parameters: Type.Object({ db, pipeline }),
  consumes: json({}),
  response: { 201: Type.Object(result) }
}

export const about = {
  summary: 'The version senders are told',
  produces: json({
    name: Type.String(),
    cluster_name: Type.String(),
    cluster_uuid: Type.String(),
    version: Type.Object({ number: Type.String() }),
    tagline: Type.String()
  })
}

export const licenses = { summary: 'A license that lets senders send', produces: json({ license }) }

export const features = {
  summary: 'A license, and no features',
  produces: json({ license, features: Type.Object({}) })
}

export const health = {
  summary: 'Whether documents are taken',
  produces: json({
    cluster_name: Type.String(),
    status: Type.String(),
    timed_out: Type.Boolean(),
    number_of_nodes: Type.Integer()
  })
}

export const setting = { summary: 'Whether there is a template or policy: each is there', produces: json({}) }

export const forgotten = {
  summary: 'A template or policy, which is acknowledged and forgotten',
  consumes: json({}),
  produces: json({ acknowledged: Type.Boolean() })
}

export const created = {
  summary: 'An index, which is acknowledged: its table is made with its first document',
  consumes: json({}),
  produces: json({ acknowledged: Type.Boolean(), shards_acknowledged: Type.Boolean(), index: Type.String() })
}

/** @type {FastifySchema} */
export const refused = {
  summary: 'A pipeline, which is refused: pipelines are stored at `/v1/pipelines`',
  consumes: json({}),
  response: { 400: errorBody }
}
