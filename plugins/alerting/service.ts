// The alerting service: loads rules, runs each group's schedule, applies changed files, and stops.
import { internalContext, Pace, type PluginCore } from '../../core/index.ts'
import type { AlertingService, MetricsysService, PromqlService, SqlQueryService } from '../services.ts'
import { describeAlerts, describeGroups } from './answer.ts'
import { type Counted, createCounters } from './counters.ts'
import { createAsk } from './evaluate/ask.ts'
import { type EvaluateDependencies, type EvaluateOptions, evaluateGroup } from './evaluate/evaluate.ts'
import { matchers } from './evaluate/restore.ts'
import { keepSchedule } from './evaluate/schedule.ts'
import { droppedRules, type GroupState, groupState, type RuleState } from './evaluate/state.ts'
import { samplesWrites } from './evaluate/write.ts'
import { createNotifier, type NotifyOptions } from './notify/notifier.ts'
import { reasonOf } from './reason.ts'
import { type LoadLimits, loadRules } from './rule/load.ts'
import type { RuleGroup } from './rule/rule.ts'

interface AlertingOptions extends EvaluateOptions, NotifyOptions, LoadLimits {
  readonly rule_files: readonly string[]
  readonly db: string
  /** Milliseconds. */
  readonly evaluation_interval: number
}

interface AlertingDependencies {
  readonly promql: PromqlService | undefined
  readonly sql: SqlQueryService | undefined
  readonly metricsys: MetricsysService | undefined
}

export interface OwnService extends AlertingService {
  /** Loads the files again: all of them, or throws Error and changes nothing. */
  reload(): Promise<void>
  close(): Promise<void>
}

interface Running {
  readonly state: GroupState
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** Throws Error with all problems of the rule files. */
export function createService(core: PluginCore, options: AlertingOptions, parts: AlertingDependencies): OwnService {
  const log = core.log
  let running: readonly Running[] = []
  const states = () => running.map(({ state }) => state)
  const counters = createCounters(core, () => count(states(), notifier.waiting()))
  const notifier = createNotifier(options, counters, log)
  const load = () =>
    loadRules(
      options.rule_files,
      {
        interval: options.evaluation_interval,
        db: options.db,
        checkExpression: parts.promql && (text => parts.promql!.parse(text)),
        sql: parts.sql !== undefined,
        records: parts.metricsys !== undefined
      },
      options
    )
  const evaluation: EvaluateDependencies = {
    ...{ counters, log, options, promql: parts.promql, metricsys: parts.metricsys },
    ask: createAsk(parts),
    context: (db, signal) => ({ ...core.context(db), signal }),
    // Rules only read; this writes what they record.
    write: (ctx, writes) => core.store.write(ctx, writes),
    isAlone: (group, rule) => {
      const wanted = matchers(rule)
      const same = states().flatMap(({ group: { db }, rules }) =>
        rules.filter(({ rule }) => db === group.db && rule.kind === 'alert' && matchers(rule) === wanted)
      )
      return same.length <= 1
    },
    notify: notifier.notify
  }
  const start = (state: GroupState): Running => {
    const stop = new AbortController()
    const { interval, file, name } = state.group
    const ended = keepSchedule(
      { interval, name: `${file};${name}` },
      time => evaluateGroup(evaluation, state, time, stop.signal),
      missed => counters.missed.add(missed),
      stop.signal
    )
    return { state, stop, ended }
  }
  const end = async (groups: readonly Running[]) => {
    for (const { stop } of groups) stop.abort()
    await Promise.all(groups.map(({ ended }) => ended))
  }

  /** Alerts of removed rules have ended, and so have their series. */
  const drop = async (group: RuleGroup, rules: readonly RuleState[]) => {
    const time = Date.now()
    for (const { rule, alerts, written } of rules) {
      for (const alert of alerts.values()) {
        if (alert.state === 'firing') alert.resolvedAt = time
        if (alert.state === 'firing') alert.state = 'inactive'
      }
      if (rule.kind === 'alert') await notifier.notify(group, rule, alerts.values(), time)
      if (parts.metricsys === undefined || written.size === 0) continue
      const ctx = internalContext(core, 'alerting', group.db)
      const writes = await samplesWrites([], [...written.values()], time, parts.metricsys, new Pace(ctx))
      await core.store.write(ctx, writes).catch((error: unknown) => {
        log.warn(
          { rule: rule.location, reason: reasonOf(error) },
          'the end of the series of a removed rule could not be stored'
        )
      })
    }
  }
  const takeOver = async (groups: readonly RuleGroup[]) => {
    const before = running
    const kept = before.filter(({ state }) => groups.some(group => isSame(group, state.group)))
    const old = before.filter(each => !kept.includes(each))
    await end(old)
    const next: Running[] = []
    const dropped: (readonly [RuleGroup, readonly RuleState[]])[] = []
    for (const group of groups) {
      const same = kept.find(({ state }) => isSame(group, state.group))
      const changed = old.find(({ state }) => state.group.file === group.file && state.group.name === group.name)
      if (same !== undefined) next.push(same)
      else {
        const state = groupState(group, changed?.state.group.db === group.db ? changed.state : undefined)
        next.push({ state, stop: new AbortController(), ended: Promise.resolve() })
        if (changed !== undefined) dropped.push([changed.state.group, droppedRules(changed.state, state)])
      }
    }
    for (const { state } of old) {
      const { file, name } = state.group
      if (!groups.some(group => group.file === file && group.name === name)) dropped.push([state.group, state.rules])
    }
    // All are registered before the first is evaluated.
    running = next
    running = next.map(each => (kept.includes(each) ? each : start(each.state)))
    for (const [group, rules] of dropped) await drop(group, rules)
  }

  // At the start there are no earlier rules that would have to end.
  running = load().map(group => start(groupState(group)))
  let refused = false
  return {
    rules: filter => describeGroups(states(), filter, parts.promql),
    alerts: db => describeAlerts(states(), db),
    async reload() {
      let groups: readonly RuleGroup[]
      try {
        groups = load()
      } catch (error) {
        // Called again after a refusal, with the old options.
        refused = !refused
        if (!refused) return
        throw error
      }
      refused = false
      await takeOver(groups)
    },
    async close() {
      await end(running)
      await notifier.close()
    }
  }
}

function isSame(a: RuleGroup, b: RuleGroup): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function count(states: readonly GroupState[], waiting: number): Counted {
  const rules = { alert: 0, record: 0 }
  const alerts = { pending: 0, firing: 0 }
  for (const { rule, alerts: known } of states.flatMap(({ rules }) => rules)) {
    rules[rule.kind]++
    for (const { state } of known.values()) if (state !== 'inactive') alerts[state]++
  }
  return { groups: states.length, rules, alerts, waiting }
}
