// The health of plugins and of the parts they report: states for `/status`, `/ready` and the metric `svc_plugin_status`.
import type { Metrics } from './metrics/metrics.ts'

type ComponentState = 'starting' | 'ok' | 'degraded' | 'failed'

export interface ComponentReport {
  /** Name of the part, one word; absent: the report is about the plugin as a whole. */
  readonly component?: string
  readonly state: ComponentState
  /** Why the state is not `ok`: a sentence without capital letter and full stop. */
  readonly reason?: string
}

/** The state of a plugin, or of one part of it, as `/status` shows it. */
export interface ComponentStatus extends ComponentReport {
  readonly plugin: string
  /** Milliseconds since 1970 of the last change of state. */
  readonly since: number
}

export interface Components {
  report(plugin: string, report: ComponentReport): void
  list(): readonly ComponentStatus[]
}

const states: readonly ComponentState[] = ['starting', 'ok', 'degraded', 'failed']

export function createComponents(metrics: Metrics): Components {
  const known = new Map<string, ComponentStatus>()
  const help = '1 for the state each plugin, and each part of one that reports it, is in.'
  const status = metrics.gauge('svc_plugin_status', help, ['plugin', 'component', 'state'])
  return {
    report(plugin, { component, state, reason }) {
      const key = `${plugin}.${component ?? ''}`
      const before = known.get(key)
      const since = before?.state === state ? before.since : Date.now()
      known.set(key, {
        plugin,
        ...(component !== undefined && { component }),
        state,
        ...(reason !== undefined && { reason }),
        since
      })
      for (const each of states) {
        if (each !== state && before === undefined) continue
        status.set(each === state ? 1 : 0, { plugin, component: component ?? '', state: each })
      }
    },
    list: () => [...known.values()]
  }
}
