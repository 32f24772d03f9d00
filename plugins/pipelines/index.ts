// Log pipelines: documents that say how items become rows, their versions, and the service that runs them.
import { Type } from 'typebox'
import { count, definePlugin, duration, flag, size } from '../../core/index.ts'
import { defaultTextLength } from './processor/gsub.ts'
import { defaultPathValues } from './processor/json-path.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'

export default definePlugin({
  name: 'pipelines',
  prefix: '/v1/pipelines',
  servers: ['main', 'public'],
  config: Type.Object({
    variables_from_input: flag(
      false,
      'Table-option variables count also where the items bring them, not only where a processor wrote them.',
      { live: true }
    ),
    dry_run_max_items: count(10, 'More items than this are refused.', { live: true }),
    max_document_size: size(128 * 1024, 'Larger YAML documents are refused.', { minimum: 1, live: true }),
    max_groups: count(1000, 'Rows of one request go to at most so many combinations of table and table options.', {
      live: true
    }),
    max_dispatch_depth: count(
      8,
      'Dispatch rules may hand an item on from pipeline to pipeline this often; then the request is refused.',
      { maximum: 100, live: true }
    ),
    threads: count(
      0,
      'Threads that run pipelines over large bodies, and scripts; `0` is one less than processors, at least 1 and at most 4.',
      { minimum: 0, live: true }
    ),
    max_request_time: duration(
      10_000,
      'Processor time a pipeline may take for one request in such a thread; beyond it the request is refused with 400.',
      { minimum: 1, live: true }
    ),
    dry_run_max_time: duration(
      2000,
      'Processor time a dry run, the check of a new pipeline and the inference of its table may take; beyond it the request is refused with 400.',
      { minimum: 1, live: true }
    ),
    thread_memory: size(
      2 * 2 ** 30,
      'Memory for objects one such thread may take; a request that needs more is refused with 413.',
      { minimum: 128 * 2 ** 20 }
    ),
    max_text_length: count(
      defaultTextLength,
      'A text that the `gsub` processor would make longer, in characters, fails the item.'
    ),
    json_path_max_values: count(
      defaultPathValues,
      'A path of the `json_path` processor that looks at more values of one item fails the item.'
    )
  }),
  setup: (core, config) => createService(core, config),
  routes(app, config) {
    const { pipelines } = app.services
    // By then every plugin has added its processors.
    app.addHook('onReady', () => void pipelines.checkStored())
    routes(app, pipelines, config)
  }
})
