// CPU and heap profiles of the running server, as pprof files, text and flame graphs. Main server only.
import { Type } from 'typebox'
import { count, definePlugin, duration, flag, size } from '../../core/index.ts'
import type {} from '../services.ts'
import { routes } from './routes.ts'
import { createProfiling } from './service.ts'

const MiB = 2 ** 20

export default definePlugin({
  name: 'profiling',
  prefix: '/debug/prof',
  servers: ['main'],
  config: Type.Object({
    max_duration: duration(300_000, 'Longest CPU profile; a longer one is refused with 400.', { minimum: 1 }),
    max_frequency: count(1000, 'Samples per second of a CPU profile at most; more are refused with 400.'),
    max_upload: size(
      128 * MiB,
      'Largest dump that `symbol` accepts, after decompression; a larger one is refused with 413.',
      {
        minimum: 1
      }
    ),
    heap_profiling: flag(false, 'Samples the heap from the start.'),
    heap_interval: size(128 * 1024, 'Bytes allocated between two samples of the heap.', { minimum: 1024 }),
    gdump: flag(false, 'Dumps the heap at each new memory high from the start, into `{data_home}/profiles`.'),
    gdump_step: size(64 * MiB, 'Growth of the resident memory before the next dump.', { minimum: MiB }),
    gdump_files: count(16, 'Number of latest dumps that are kept.')
  }),
  uses: ['dashboard'],
  setup(core, config, { dashboard }) {
    dashboard?.addPage({ name: 'profiles', title: 'Profiles', module: page(), servers: ['main'] })
    return createProfiling(core, config)
  },
  routes(app, config) {
    routes(app, config, app.services.profiling)
  }
})

function page(): URL {
  return new URL(`./page${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
}
