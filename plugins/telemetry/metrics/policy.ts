// How names are translated and which attributes become labels: from the configuration, overridden by headers.
import type { IncomingHttpHeaders } from 'node:http'
import { DbError, headerText } from '../../../core/index.ts'

export const strategies = [
  'UnderscoreEscapingWithSuffixes',
  'UnderscoreEscapingWithoutSuffixes',
  'NoUTF8EscapingWithSuffixes',
  'NoTranslation'
] as const

export type Strategy = (typeof strategies)[number]

export interface PolicyOptions {
  readonly metric_translation_strategy: Strategy
  readonly promote_all_resource_attributes: boolean
  readonly promote_resource_attributes: readonly string[]
  readonly ignore_resource_attributes: readonly string[]
  readonly promote_scope_attributes: boolean
}

export interface Policy {
  readonly strategy: Strategy
  /** Whether a resource attribute becomes a label. */
  promotes(attribute: string): boolean
  /** Whether the scope's name, version, schema URL and attributes become labels. */
  readonly scope: boolean
  /** A key that is equal for equal policies. */
  readonly key: string
}

const prefixes = ['x-svc-otlp-metric-', 'x-svc-telemetry-metric-'] as const

/** Throws DbError `InvalidArguments` for a strategy that does not exist. */
export function readPolicy(headers: IncomingHttpHeaders, options: PolicyOptions): Policy {
  const text = (name: string) => {
    const given = prefixes.map(prefix => prefix + name).find(header => headers[header] !== undefined)
    return given && headerText(headers, given).trim()
  }
  const flag = (name: string, byDefault: boolean) => {
    const given = text(name)
    return given === undefined ? byDefault : /^(true|1|yes|on|t|y)$/i.test(given)
  }
  const list = (name: string) => (text(name) ?? '').split(';').flatMap(each => each.trim() || [])
  const strategy = (text('translation-strategy') || options.metric_translation_strategy) as Strategy
  if (!strategies.includes(strategy)) {
    throw new DbError(
      'InvalidArguments',
      `header ${prefixes[0]}translation-strategy: unknown strategy ${strategy}, expected one of ${strategies.join(', ')}`
    )
  }
  const all = flag('promote-all-resource-attrs', options.promote_all_resource_attributes)
  const ignored = new Set([...options.ignore_resource_attributes, ...list('ignore-resource-attrs')])
  const promoted = new Set([...options.promote_resource_attributes, ...list('promote-resource-attrs')])
  const scope = flag('promote-scope-attrs', options.promote_scope_attributes)
  return {
    strategy,
    promotes: attribute => (all ? !ignored.has(attribute) : promoted.has(attribute)),
    scope,
    key: JSON.stringify([strategy, scope, all, [...(all ? ignored : promoted)]])
  }
}

/** Resource attributes that become labels by default. */
export const promotedByDefault = [
  'service.instance.id',
  'service.name',
  'service.namespace',
  'service.version',
  'cloud.availability_zone',
  'cloud.region',
  'container.name',
  'deployment.environment',
  'deployment.environment.name',
  ...['cluster', 'container', 'cronjob', 'daemonset', 'deployment'].map(kind => `k8s.${kind}.name`),
  ...['job', 'namespace', 'pod', 'replicaset', 'statefulset'].map(kind => `k8s.${kind}.name`)
] as const
