// How many bytes, rows and queries a second a user and an address may have: an account each that fills as time goes by.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Quota, QuotaKind } from './context.ts'

/** A second, 0 for no limit. */
export type QuotaLimits = Readonly<Record<`${Holder}_${QuotaKind}`, number>> & {
  /** Milliseconds' worth that may be used at once. */
  readonly burst: number
}

type Holder = 'user' | 'address'

const kinds: readonly QuotaKind[] = ['bytes', 'rows', 'queries']

/** What is left to somebody, below 0 where the last request took more than there was. */
interface Account {
  left: number
  /** When that was, in milliseconds. */
  at: number
}

/** Accounts that are kept of each kind; beyond it those used the longest ago begin anew. */
const maxAccounts = 10_000

export interface Quotas {
  /** Of one request; undefined where there are no limits. */
  of(user: string, address: string): Quota | undefined
}

/** The limits are read at each request. `now` tells milliseconds. */
export function createQuotas(
  http: { readonly quota: QuotaLimits },
  metrics: Metrics,
  now: () => number = () => performance.now()
): Quotas {
  const help = 'Requests refused because a user or an address had used up its bytes, rows or queries (http.quota).'
  const refused = metrics.counter('svc_servers_quota_refused_total', help, ['quota'])
  const accounts = new Map<string, Map<string, Account>>()
  for (const holder of ['user', 'address'] as const) {
    for (const kind of kinds) {
      accounts.set(`${holder}_${kind}`, new Map())
      refused.add(0, { quota: `${holder}_${kind}` })
    }
  }

  const charge = (key: `${Holder}_${QuotaKind}`, name: string, amount: number): DbError | undefined => {
    const rate = http.quota[key]
    if (rate === 0) return undefined
    const max = (rate * http.quota.burst) / 1000
    const account = accountOf(accounts.get(key)!, name, max, now())
    const time = now()
    account.left = Math.min(max, account.left + ((time - account.at) * rate) / 1000)
    account.at = time
    if (account.left <= 0) {
      refused.add(1, { quota: key })
      return usedUp(key, rate, -account.left / rate)
    }
    account.left -= amount
    return undefined
  }
  return {
    of(user, address) {
      if (!kinds.some(kind => http.quota[`user_${kind}`] > 0 || http.quota[`address_${kind}`] > 0)) return undefined
      return {
        charge(kind, amount) {
          const error = charge(`user_${kind}`, user, amount) ?? charge(`address_${kind}`, address, amount)
          if (error !== undefined) throw error
        }
      }
    }
  }
}

/** The account of a name, a full one where there is none. */
function accountOf(known: Map<string, Account>, name: string, max: number, at: number): Account {
  const account = known.get(name) ?? { left: max, at }
  // The last one used stands last.
  known.delete(name)
  known.set(name, account)
  if (known.size > maxAccounts) known.delete(known.keys().next().value!)
  return account
}

function usedUp(key: string, rate: number, seconds: number): DbError {
  const [whose, kind] = key.split('_') as [Holder, QuotaKind]
  return new DbError('RateLimited', `this ${whose} may have ${rate} ${kind} a second (http.quota.${key})`, {
    retryAfter: Math.max(1, Math.ceil(seconds))
  })
}
