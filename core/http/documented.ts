// Schema parts shared by routes. They only document: `/v1/openapi.json` shows them, nothing checks them.
import { Type } from 'typebox'

/** A body of a type that no schema describes. */
export const anyContent = Type.String({ contentMediaType: 'application/octet-stream' })

/** A plain text body. */
export const plainText = { 'text/plain': Type.String() }

/** `produces` of routes that answer 204 without a body. */
export const noBody = {}

/** The query parameter that names the database. */
export const dbParameter = Type.Optional(
  Type.String({ description: 'Database; without it the header `x-svc-db-name` counts, else `public`.' })
)

/** Query parameters of routes that answer in a result format. */
export const resultParameters = {
  db: dbParameter,
  format: Type.Optional(
    Type.String({
      default: 'svc_v1',
      description: 'Format of the answer; an unknown one is answered with all there are.'
    })
  ),
  compression: Type.Optional(Type.String({ description: 'Of `format=arrow`: `zstd` or `lz4`.' }))
}

const column = Type.Object({ name: Type.String(), data_type: Type.String() })
const records = Type.Object({
  schema: Type.Object({ column_schemas: Type.Array(column) }),
  rows: Type.Array(Type.Array(Type.Unknown())),
  total_rows: Type.Integer()
})
const output = Type.Union([Type.Object({ affectedrows: Type.Integer() }), Type.Object({ records })])

/** `produces` of routes that run statements or queries. */
export const resultBodies = {
  'application/json': Type.Object({ output: Type.Array(output), execution_time_ms: Type.Integer() }),
  'text/csv': Type.String(),
  'text/plain': Type.String(),
  'application/vnd.apache.arrow.stream': Type.String({ contentMediaType: 'application/vnd.apache.arrow.stream' })
}

/** `produces` of routes that store rows. */
export const writtenBody = {
  'application/json': Type.Object({
    output: Type.Array(Type.Object({ affectedrows: Type.Integer() })),
    execution_time_ms: Type.Integer(),
    skipped: Type.Optional(
      Type.Object({
        count: Type.Integer(),
        errors: Type.Array(Type.Object({ index: Type.Integer(), message: Type.String() }))
      })
    )
  })
}
