// Rate limits of bytes, rows and queries per user and per address: token buckets that refill over time.
import { DbError } from '../errors.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Quota, QuotaKind } from './context.ts'

/** Amounts per second; 0 means no limit. */
export type QuotaLimits = Readonly<Record<`${Holder}_${QuotaKind}`, number>> & {
  /** Milliseconds' worth of the rate that may be used at once. */
  readonly burst: number
}

type Holder = 'user' | 'address'

const kinds: readonly QuotaKind[] = ['bytes', 'rows', 'queries']

/** The rest of a bucket; negative if the last request used more than was left. */
interface Account {
  left: number
  /** Time of the last refill in milliseconds. */
  at: number
}

/** Buckets kept of each kind; beyond that, those used longest ago start anew. */
const maxAccounts = 10_000

export interface Quotas {
  /** The quota of one request; undefined without limits. */
  of(user: string, address: string): Quota | undefined
}

/** Reads the limits at each request. `now` returns milliseconds. */
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

/** The bucket of a name; a new one is full. */
function accountOf(known: Map<string, Account>, name: string, max: number, at: number): Account {
  const account = known.get(name) ?? { left: max, at }
  // Moves it to the end: the map's order is the order of use.
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
