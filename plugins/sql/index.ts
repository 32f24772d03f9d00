// SQL over HTTP: queries, inserts and changes of tables, answered in every result format.
import { Type } from 'typebox'
import { count, definePlugin, size } from '../../core/index.ts'
import { routes } from './routes.ts'
import { startService } from './service.ts'

export default definePlugin({
  name: 'sql',
  servers: ['main', 'public'],
  // `promql` for TQL.
  uses: ['promql', 'slowquery'],
  config: Type.Object({
    max_sql_length: size(
      2 ** 20,
      'Longest SQL text of a request, in bytes; a longer one is refused with 400, except a single `INSERT … VALUES`, which may be as long as `http.body_limit` allows. Ingest protocols are faster for bulk data.',
      { minimum: 1, live: true }
    ),
    max_sql_tokens: count(
      25_000,
      'Words, values and signs the SQL text of a request may have; a longer one is refused with 400, except a single `INSERT … VALUES`, of which each row may have so many.',
      { live: true }
    ),
    delete_limit: count(2_000_000, 'Rows one DELETE may hide; one that finds more hides none.', { live: true }),
    value_limit: size(
      64 * 2 ** 20,
      'Bytes one value that is made by repeat, lpad, rpad, list_resize, range, generate_series, bitstring, format or printf may take, as far as constants tell, and the list of slots of `date_bin_gapfill` and `FILL` always.',
      { live: true }
    ),
    tql_table_limit: count(100_000, 'Rows that TQL in the common tables of one query may give.', { live: true })
  }),
  // One for both servers, and loaded before the first query wants it.
  setup: (core, config, services) => startService(core, config, services),
  routes: (app, config) => routes(app, config, app.services.sql)
})
