// Evaluates a group: its rules in sequence, so that each sees what earlier ones wrote.
import {
  after,
  DbError,
  formatDuration,
  type Logger,
  mapPaced,
  Pace,
  type RequestContext,
  type SeriesWrite,
  type TableWrite
} from '../../../core/index.ts'
import type { MetricsysService, PromqlService } from '../../services.ts'
import type { Counters } from '../counters.ts'
import { readExternalLabels } from '../external-labels.ts'
import { reasonOf } from '../reason.ts'
import type { AlertRule, RecordRule, RuleGroup, RuleQuery } from '../rule/rule.ts'
import { type Alert, alertSamples, findAlerts, stepAlerts } from './alert.ts'
import type { Ask } from './ask.ts'
import { restoreAlerts } from './restore.ts'
import { keyOf, metricName, type Sample, type Written, withLabels } from './sample.ts'
import type { GroupState, RuleState } from './state.ts'
import { samplesWrites } from './write.ts'

export interface EvaluateDependencies {
  readonly ask: Ask
  /** Reads states from before the last start; without it, or without `metricsys`, alerts begin anew. */
  readonly promql: PromqlService | undefined
  readonly metricsys: MetricsysService | undefined
  readonly counters: Counters
  readonly log: Logger
  readonly options: EvaluateOptions
  /** The context for queries and writes in a database. */
  context(db: string, signal: AbortSignal): RequestContext
  write(ctx: RequestContext, writes: readonly (SeriesWrite | TableWrite)[]): Promise<unknown>
  /** Whether no other rule has alerts of the same name with the same labels. */
  isAlone(group: RuleGroup, rule: AlertRule): boolean
  /** Called with all alerts of a rule after each evaluation. */
  notify(group: RuleGroup, rule: AlertRule, alerts: Iterable<Alert>, time: number): Promise<void>
}

export interface EvaluateOptions {
  readonly max_series: number
  /** Milliseconds. */
  readonly evaluation_timeout: number
  readonly for_outage_tolerance: number
  readonly external_url: string
  readonly external_labels: readonly string[]
}

/** Never fails: errors become the rule's health. `time` in milliseconds since 1970; `signal` cancels between two rules. */
export async function evaluateGroup(
  parts: EvaluateDependencies,
  state: GroupState,
  time: number,
  signal: AbortSignal
): Promise<void> {
  const began = performance.now()
  for (const rule of state.rules) {
    if (signal.aborted) return
    await evaluateRule(parts, state.group, rule, time, signal)
  }
  state.lastEvaluation = time
  state.evaluationTime = (performance.now() - began) / 1_000
  parts.counters.duration.observe(state.evaluationTime)
}

async function evaluateRule(
  parts: EvaluateDependencies,
  group: RuleGroup,
  state: RuleState,
  time: number,
  stop: AbortSignal
): Promise<void> {
  const { options, counters, log } = parts
  const began = performance.now()
  const late = new AbortController()
  const limit = options.evaluation_timeout
  const reason = `the evaluation took longer than ${formatDuration(limit)} (plugins.alerting.evaluation_timeout)`
  const timer = after(limit, () => late.abort(new DbError('DeadlineExceeded', reason))).unref()
  try {
    const ctx = parts.context(group.db, AbortSignal.any([stop, late.signal]))
    const { rule } = state
    const samples = await (rule.kind === 'alert'
      ? evaluateAlert(parts, group, state, rule, time, ctx)
      : evaluateRecord(parts, group, rule, time, ctx))
    await writeSamples(parts, ctx, state, samples, time - group.queryOffset)
    state.health = 'ok'
    state.lastError = ''
    counters.evaluations.add(1, { result: 'success' })
  } catch (error) {
    if (stop.aborted) return
    const message = reasonOf(late.signal.aborted ? late.signal.reason : error)
    if (state.lastError !== message)
      log.warn({ rule: state.rule.location, reason: message }, 'a rule could not be evaluated')
    state.health = 'err'
    state.lastError = message
    counters.evaluations.add(1, { result: 'failure' })
  } finally {
    timer.stop()
    state.lastEvaluation = time
    state.evaluationTime = (performance.now() - began) / 1_000
  }
}

async function evaluateAlert(
  parts: EvaluateDependencies,
  group: RuleGroup,
  state: RuleState,
  rule: AlertRule,
  time: number,
  ctx: RequestContext
): Promise<readonly Sample[]> {
  const { options, counters, log, promql, metricsys } = parts
  if (!state.isRestored && promql !== undefined && metricsys !== undefined) {
    const tolerance = options.for_outage_tolerance
    const isAlone = parts.isAlone(group, rule)
    const known = await restoreAlerts(promql, ctx, rule, { time: time - group.queryOffset, tolerance, isAlone })
    for (const [key, alert] of known) state.alerts.set(key, alert)
    const samples = await alertSamples([...known.values()], new Pace(ctx))
    state.written = await writtenOf(samples, new Pace(ctx))
  }
  state.isRestored = true
  const ask = (query: RuleQuery) => parts.ask(ctx, query, time - group.queryOffset, options.max_series)
  const samples = await ask(rule.query)
  const pace = new Pace(ctx)
  const server = {
    externalURL: options.external_url,
    externalLabels: Object.fromEntries(readExternalLabels(options.external_labels))
  }
  const askText = (text: string) => ask({ kind: 'promql', text })
  const { alerts, failures } = await findAlerts(rule, samples, { time, ...server, ask: askText }, pace)
  const active = stepAlerts(rule, state.alerts, alerts, { time, limit: group.limit })
  if (failures.length > 0) {
    counters.templateFailures.add(failures.length)
    log.warn({ reason: failures[0], count: failures.length }, 'templates of alerts could not be filled in')
  }
  await parts.notify(group, rule, state.alerts.values(), time)
  return alertSamples(active, pace)
}

async function evaluateRecord(
  { ask, options }: EvaluateDependencies,
  group: RuleGroup,
  rule: RecordRule,
  time: number,
  ctx: RequestContext
): Promise<readonly Sample[]> {
  const found = await ask(ctx, rule.query, time - group.queryOffset, options.max_series)
  if (group.limit > 0 && found.length > group.limit) {
    throw new Error(`exceeded limit of ${group.limit} with ${found.length} series`)
  }
  const over = [...Object.entries(rule.labels), [metricName, rule.name] as const]
  const keys = new Set<string>()
  return mapPaced(new Pace(ctx), found, ({ labels, ...sample }) => {
    const named = withLabels(labels, over)
    const key = keyOf(named)
    if (keys.has(key)) throw new Error('vector contains metrics with the same labelset after applying rule labels')
    keys.add(key)
    return { labels: named, ...sample }
  })
}

/** Also marks series as stale that were written last time and are gone. */
async function writeSamples(
  { metricsys, counters, write }: EvaluateDependencies,
  ctx: RequestContext,
  state: RuleState,
  samples: readonly Sample[],
  time: number
): Promise<void> {
  const pace = new Pace(ctx)
  const written = await writtenOf(samples, pace)
  const ended = [...state.written].flatMap(([key, series]) => (written.has(key) ? [] : [series]))
  if (metricsys === undefined || samples.length + ended.length === 0) return
  await write(ctx, await samplesWrites(samples, ended, time, metricsys, pace))
  counters.samples.add(samples.length)
  state.written = written
}

async function writtenOf(samples: readonly Sample[], pace: Pace): Promise<Map<string, Written>> {
  return new Map(
    await mapPaced(pace, samples, ({ labels, histogram }) => {
      const written: Written = { labels, isHistogram: histogram !== undefined }
      return [keyOf(labels), written] as const
    })
  )
}
