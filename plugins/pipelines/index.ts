// Log pipelines: documents that say how items become rows, their versions, and the service that runs them.
import { Type } from 'typebox'
import { definePlugin, duration, size } from '../../core/index.ts'
import { defaultPathValues } from './processor/json-path.ts'
import { routes } from './routes.ts'
import { defaultScriptLimits } from './script/limits.ts'
import { createService, type OwnService } from './service.ts'

const scripts = defaultScriptLimits

const count = (byDefault: number, description: string) =>
  Type.Integer({ default: byDefault, minimum: 1, live: true, description })

export default definePlugin({
  name: 'pipelines',
  prefix: '/v1/pipelines',
  servers: ['main', 'public'],
  config: Type.Object({
    variables_from_input: Type.Boolean({
      default: false,
      live: true,
      description:
        'Table-option variables count also where the items bring them, not only where a processor wrote them.'
    }),
    dry_run_max_items: Type.Integer({
      default: 10,
      minimum: 1,
      live: true,
      description: 'More items than this are refused.'
    }),
    max_document_size: size(128 * 1024, 'Larger YAML documents are refused.', { minimum: 1, live: true }),
    max_groups: Type.Integer({
      default: 1000,
      live: true,
      minimum: 1,
      description: 'Rows of one request go to at most so many combinations of table and table options.'
    }),
    max_tables: count(100_000, 'Tables of one database. Rows that would need further ones are refused with 400.'),
    max_columns: count(2_000, 'Columns of one table. Rows that would need further ones are refused with 400.'),
    max_series: count(
      1_000_000,
      'Series (sets of tag values) of one table. Rows of further ones are refused with 400; each takes some 300 bytes of memory.'
    ),
    max_dispatch_depth: Type.Integer({
      default: 8,
      live: true,
      minimum: 1,
      maximum: 100,
      description:
        'Dispatch rules may hand an item on from pipeline to pipeline this often; then the request is refused.'
    }),
    json_path_max_values: Type.Integer({
      default: defaultPathValues,
      minimum: 1,
      description: 'A path of the `json_path` processor that looks at more values of one item fails the item.'
    }),
    vrl_max_length: Type.Integer({
      default: scripts.length,
      minimum: 1,
      description: 'Scripts of the `vrl` processor with more characters are refused.'
    }),
    vrl_max_output: size(
      scripts.output,
      'An expression of a script that makes more, or an item that a script makes larger, fails the item.',
      { minimum: 1 }
    ),
    vrl_max_time: duration(scripts.time, 'A script that runs longer on one item fails the item.', { minimum: 1 }),
    vrl_max_rows: Type.Integer({
      default: scripts.rows,
      minimum: 1,
      description: 'A script that makes more rows of one item fails the item.'
    }),
    vrl_max_logs: Type.Integer({
      default: scripts.logs,
      minimum: 0,
      description: 'A script that logs more messages in one request logs in vain.'
    }),
    vrl_max_request_time: duration(
      scripts.requestTime,
      'When a script ran so long on the items of one request, the others fail.',
      { minimum: 1 }
    ),
    vrl_max_request_output: size(
      scripts.requestOutput,
      'When what a script made of the items of one request takes so much, the others fail.',
      { minimum: 1 }
    )
  }),
  setup: (core, config) => createService(core, config),
  routes: (app, config) => routes(app, app.services.pipelines as OwnService, config)
})
