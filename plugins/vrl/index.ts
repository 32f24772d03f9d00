// The processor `vrl`: scripts in the Vector Remap Language, run on items of a pipeline.
import { extname } from 'node:path'
import { Type } from 'typebox'
import { count, definePlugin, duration, size } from '../../core/index.ts'
import { defaultLimits as limits } from './limits.ts'
import type { ScriptMessage } from './processor.ts'

export default definePlugin({
  name: 'vrl',
  prefix: '',
  servers: [],
  needs: ['pipelines'],
  config: Type.Object({
    max_length: count(limits.max_length, 'Characters of a script; longer ones are refused.'),
    max_output: size(
      limits.max_output,
      'Bytes that one expression of a script, and one resulting item, may take; more fails the item.',
      { minimum: 1 }
    ),
    max_time: duration(limits.max_time, 'Time a script may run on one item; beyond it the item fails.', { minimum: 1 }),
    max_rows: count(limits.max_rows, 'Rows a script may make of one item; more fails the item.'),
    max_logs: count(limits.max_logs, 'Log messages a request may emit; further ones are dropped.', { minimum: 0 }),
    max_request_time: duration(
      limits.max_request_time,
      'Time a script may run on all items of one request; beyond it the remaining items fail.',
      { minimum: 1 }
    ),
    max_request_output: size(
      limits.max_request_output,
      'Bytes that the results of a script may take for all items of one request; beyond it the remaining items fail.',
      { minimum: 1 }
    )
  }),
  async setup({ log, metrics }, config, { pipelines }) {
    const help =
      'Scripts refused (compile) and items failed by a script: error, abort, limit, or a result that is not an item.'
    const failures = metrics.counter('svc_vrl_failures_total', help, ['reason'])
    await pipelines.addProcessor({
      module: new URL(`./processor${extname(import.meta.url)}`, import.meta.url),
      settings: { ...config },
      onMessage(message) {
        const told = message as ScriptMessage
        if ('failed' in told) failures.add(told.times, { reason: told.failed })
        else log[told.level]({ script: told.text }, 'a script of a pipeline logs')
      }
    })
  }
})
