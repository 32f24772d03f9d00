// `rules`: the rules of the request's database, filtered by the parameters.
import type { RequestContext } from '../../../core/index.ts'
import type { AlertingService } from '../../services.ts'
import { type ApiParameters, invalidParameter } from './parameters.ts'

/** Throws DbError `InvalidArguments`. */
export function listRules(rules: AlertingService | undefined, { db }: RequestContext, parameters: ApiParameters) {
  const type = parameters.one('type')
  if (type !== undefined && type !== 'alert' && type !== 'record') {
    throw invalidParameter('type', `not supported value "${type}"`)
  }
  const withoutAlerts = parameters.one('exclude_alerts') ?? 'false'
  if (!/^(?:true|false|0|1)$/.test(withoutAlerts)) {
    throw invalidParameter('exclude_alerts', `expected true or false, got "${withoutAlerts}"`)
  }
  const groups = rules?.rules({
    db,
    kind: type,
    names: parameters.all('rule_name[]'),
    groups: parameters.all('rule_group[]'),
    files: parameters.all('file[]'),
    withoutAlerts: /^(?:true|1)$/.test(withoutAlerts)
  })
  return { groups: groups ?? [] }
}
