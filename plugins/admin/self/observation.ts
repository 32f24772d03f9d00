// Stores the server's own metrics and log in its system database, through the store like all other rows.
import {
  after,
  type Counter,
  every,
  formatDuration,
  type Metrics,
  needsPlugin,
  type PluginCore,
  runAtOnce,
  type SeriesWrite,
  type TableWrite,
  type Timer
} from '../../../core/index.ts'
import type { MetricsysService } from '../../services.ts'
import { logWrite } from './log-write.ts'
import { metricWrite } from './metric-write.ts'

interface SelfOptions {
  /** Milliseconds. */
  readonly self_interval: number
  readonly self_ttl: number
}

interface SelfObservation {
  /** Stores the waiting lines. */
  close(): Promise<void>
}

/** Characters of lines that may wait; further lines are dropped and counted. */
const maxTextBytes = 8 * 2 ** 20
/** Milliseconds that lines wait, to be written together. */
const lineDelay = 1_000

/** The counter exists whether anything is stored or not. */
export function countSelf(metrics: Metrics): Counter {
  const help =
    "Lines and samples of the server's own: `kept` in svc_private, `lost` because they could not be stored, `dropped` because too many waited."
  return metrics.counter('svc_self_observation_total', help, ['kind', 'result'])
}

/** `metrics` tells how metrics are stored; without it only the log is stored. */
export function observeSelf(
  core: PluginCore,
  options: SelfOptions,
  counted: Counter,
  metrics: MetricsysService | undefined
): SelfObservation {
  const write = createWrite(core, counted)
  const lines = keepLines(core, options, counted, write)
  const samples = metrics === undefined ? undefined : keepSamples(core, options, metrics, write)
  if (samples === undefined) core.log.warn(needsPlugin("storing the server's own metrics", 'metricsys'))
  return {
    async close() {
      await samples?.close()
      await lines.close()
    }
  }
}

type Kind = 'logs' | 'metrics'
/** True if it was stored. */
type Write = (kind: Kind, count: number, make: () => readonly (TableWrite | SeriesWrite)[]) => Promise<boolean>

/**
 * Never fails: what cannot be stored is dropped and counted. Only the first of several failures is logged, because a log line would lead to
 * the next failure.
 */
function createWrite(core: PluginCore, counted: Counter): Write {
  const log = core.log
  const failing = new Set<Kind>()
  return async (kind, count, make) => {
    try {
      await core.system.write(core.plugin, make())
      counted.add(count, { kind, result: 'kept' })
      failing.delete(kind)
      return true
    } catch (error) {
      counted.add(count, { kind, result: 'lost' })
      if (!failing.has(kind))
        log.warn({ kind, reason: (error as Error).message }, 'the server cannot keep what it observes of itself')
      failing.add(kind)
      return false
    }
  }
}

function keepLines(core: PluginCore, options: SelfOptions, counted: Counter, write: Write): SelfObservation {
  let waiting: string[] = []
  let length = 0
  let timer: Timer | undefined
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    for (let lines = waiting; lines.length > 0; lines = waiting) {
      waiting = []
      length = 0
      await write('logs', lines.length, () => [logWrite(lines, formatDuration(options.self_ttl))])
    }
    writing = undefined
  }
  const flush = async () => {
    timer?.stop()
    timer = undefined
    // A running write may have taken the lines of this timer. Then `writeAll` would return before `writing` is set, which would stay set.
    if (waiting.length > 0) writing ??= writeAll()
    await writing
  }
  const end = core.listenToLog(line => {
    if (length + line.length > maxTextBytes) return counted.add(1, { kind: 'logs', result: 'dropped' })
    waiting.push(line)
    length += line.length
    timer ??= after(lineDelay, flush).unref()
  })
  return {
    async close() {
      end()
      await flush()
    }
  }
}

function keepSamples(core: PluginCore, options: SelfOptions, names: MetricsysService, write: Write): SelfObservation {
  let working: Promise<void> | undefined
  const keep = async () => {
    const samples = (await core.metrics.samples()).filter(({ value }) => Number.isFinite(value))
    const described = core.metrics.families().map(({ name, type, help }) => ({ metric: name, type, unit: '', help }))
    const metadata = runAtOnce(names.metadataWrite('svc_private', described))
    const ttl = formatDuration(options.self_ttl)
    const kept = await write('metrics', samples.length, () => [
      metricWrite(samples, Date.now(), names, ttl),
      ...(metadata === undefined ? [] : [metadata.write])
    ])
    if (kept) metadata?.stored()
  }
  // Scrapes do not overlap.
  const timer = every(options.self_interval, () => {
    working ??= keep().finally(() => {
      working = undefined
    })
  }).unref()
  return {
    async close() {
      timer.stop()
      await working
    }
  }
}
