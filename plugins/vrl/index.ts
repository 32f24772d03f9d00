// Scripts in pipelines: the processor `vrl`, which runs the Vector Remap Language on items.
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
    max_length: count(limits.max_length, 'Scripts with more characters are refused.'),
    max_output: size(
      limits.max_output,
      'An expression of a script that makes more, or an item that a script makes larger, fails the item.',
      { minimum: 1 }
    ),
    max_time: duration(limits.max_time, 'A script that runs longer on one item fails the item.', { minimum: 1 }),
    max_rows: count(limits.max_rows, 'A script that makes more rows of one item fails the item.'),
    max_logs: count(limits.max_logs, 'Log messages a request may emit; further ones are dropped.', { minimum: 0 }),
    max_request_time: duration(
      limits.max_request_time,
      'When a script ran so long on the items of one request, the others fail.',
      { minimum: 1 }
    ),
    max_request_output: size(
      limits.max_request_output,
      'When what a script made of the items of one request takes so much, the others fail.',
      { minimum: 1 }
    )
  }),
  async setup({ log, metrics }, config, { pipelines }) {
    const help =
      'Scripts refused (compile) and items failed by a script: error, abort, limit, or a result that is no item.'
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
