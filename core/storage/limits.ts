// Limits on how far writers may grow a database and its tables: `[limits]` of the configuration, for every protocol.
import type { Config } from '../config/schema.ts'
import { DbError } from '../errors.ts'
import type { Limit } from '../model/limit.ts'
import { systemDatabase } from './system.ts'

export interface DatabaseLimits {
  /** Tables that have files of their own. */
  readonly tables: Limit
  /** Logical tables (metrics), whose rows lie in a physical table. */
  readonly metrics: Limit
  /** Columns of one table. */
  readonly columns: Limit
  /** Series of one table. They are kept in memory; logical tables that share a physical one count together. */
  readonly series: Limit
  /** Bytes of one tag value. */
  readonly tag_length: Limit
}

type LimitName = keyof DatabaseLimits

export type LimitsOf = (database: string) => DatabaseLimits

/**
 * Looks the limits up in the configuration whenever they are asked for. The common limits do not bind the system database, where only the server
 * writes.
 */
export function configuredLimits(config: Pick<Config, 'limits'>): LimitsOf {
  return database => {
    const { databases, ...common } = config.limits
    const own = Object.hasOwn(databases, database) ? databases[database]! : {}
    const limit = (name: keyof typeof common): Limit => {
      const max = own[name]
      if (max !== undefined) return { max, key: `limits.databases.${database}.${name}` }
      return { max: database === systemDatabase ? Number.POSITIVE_INFINITY : common[name], key: `limits.${name}` }
    }
    return {
      tables: limit('max_tables'),
      metrics: limit('max_metrics'),
      columns: limit('max_columns'),
      series: limit('max_series'),
      tag_length: limit('max_tag_length')
    }
  }
}

/** A write would exceed a limit of its database. `code` is `InvalidArguments`. */
export class LimitReached extends DbError {
  readonly limit: LimitName

  /** `where` names the database, table or tag in the message. */
  constructor(where: string, limit: LimitName, { max, key }: Limit, problem = `would have more than ${max} ${limit}`) {
    super('InvalidArguments', `${where} ${problem} (${key})`)
    this.limit = limit
  }
}
