// Log pipelines: documents that turn items into rows, their versions, and the service that runs them.
import { Type } from 'typebox'
import { count, definePlugin, duration, flag, size } from '../../core/index.ts'
import { defaultTextLength } from './processor/gsub.ts'
import { defaultPathValues } from './processor/json-path.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'

export default definePlugin({
  name: 'pipelines',
  servers: ['main', 'public'],
  config: Type.Object({
    variables_from_input: flag(
      false,
      'Fields of items may set table options, too, not only fields that a processor has written.',
      { live: true }
    ),
    dry_run_max_items: count(10, 'Items of one dry run; more are refused.', { live: true }),
    max_document_size: size(128 * 1024, 'Bytes of a pipeline document; larger ones are refused.', {
      minimum: 1,
      live: true
    }),
    max_groups: count(
      1000,
      'Combinations of table and table options that the rows of one request may go to; requests with more are refused.',
      {
        live: true
      }
    ),
    max_dispatch_depth: count(
      8,
      'How often dispatch rules may pass an item on to another pipeline; beyond it the request is refused.',
      { maximum: 100, live: true }
    ),
    threads: count(
      0,
      'Threads for pipelines with large bodies or scripts; `0` is one less than there are processors, at least 1 and at most 4.',
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
    thread_memory: size(2 * 2 ** 30, 'Heap of one pipeline thread; a request that needs more is refused with 413.', {
      minimum: 128 * 2 ** 20
    }),
    max_text_length: count(
      defaultTextLength,
      'Characters of a text that the `gsub` processor may produce; a longer one fails the item.'
    ),
    json_path_max_values: count(
      defaultPathValues,
      'Values of one item that a path of the `json_path` processor may visit; a path that visits more fails the item.'
    )
  }),
  setup: (core, config) => createService(core, config),
  routes(app, config) {
    const { pipelines } = app.services
    // All plugins have added their processors by then.
    app.addHook('onReady', () => void pipelines.checkStored())
    routes(app, pipelines, config)
  }
})
