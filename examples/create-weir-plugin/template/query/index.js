// Answers questions, in any format of /v1/sql: GET /v1/mine?table=readings gives the newest rows of a table, GET /v1/mine names the tables.
import { count, DbError, definePlugin, firstValue, sendAnswers, Type } from 'weir-server'

/** @import {} from 'weir-server/services' */

/** What /v1/openapi.json says of the route; the query string is checked, too. */
const schema = {
  summary: 'The newest rows of a table, or the names of the tables',
  querystring: Type.Object({
    table: Type.Optional(Type.String({ description: 'Table whose rows are answered; without it the names of all.' })),
    format: Type.Optional(Type.String({ default: 'svc_v1', description: 'Format of the answer, as of /v1/sql.' }))
  }),
  produces: {
    'application/json': Type.Object({ output: Type.Array(Type.Unknown()), execution_time_ms: Type.Integer() }),
    'text/csv': Type.String()
  }
}

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '/v1/mine',
  servers: ['main', 'public'],
  needs: ['sql'],
  config: Type.Object({ max_rows: count(1000, 'Rows of one answer.') }),
  routes(app, { max_rows }) {
    const { core, services } = app
    /** @param {import('weir-server').RequestContext} ctx @param {string} name */
    const newest = ({ user, db }, name) => {
      const table = core.store.seenBy(user).table(db, name)
      if (table === undefined) throw new DbError('TableNotFound', `there is no table ${name}`)
      return `SELECT * FROM ${quoted(name)} ORDER BY ${quoted(table.timeIndex.name)} DESC LIMIT ${max_rows}`
    }
    app.get('', { config: { action: 'read' }, schema }, async (request, reply) => {
      const query = /** @type {import('weir-server').Parameters} */ (request.query)
      const { format, encoding } = core.formats.choose(name => firstValue(query, name))
      const name = firstValue(query, 'table')
      const sql = name === undefined ? 'SHOW TABLES' : newest(request.ctx, name)
      return sendAnswers(reply, format, [await services.sql.query(request.ctx, sql)], encoding)
    })
  }
})

/** @param {string} word */
function quoted(word) {
  return `"${word.replaceAll('"', '""')}"`
}
