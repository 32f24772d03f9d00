// How far what writers bring may make a database and its tables grow: `[limits]` of the configuration, whichever protocol they come by.
import type { Config } from '../config/schema.ts'
import { DbError } from '../errors.ts'
import type { Limit } from '../model/limit.ts'
import { systemDatabase } from './system.ts'

export interface DatabaseLimits {
  /** Tables of the database that have rows of their own. */
  readonly tables: Limit
  /** Tables of the database whose rows lie in another one: metrics. */
  readonly metrics: Limit
  /** Columns of one table. */
  readonly columns: Limit
  /** Sets of tag values of one table, which are kept in memory; those of all metrics that share a table count together. */
  readonly series: Limit
  /** Bytes of one tag value. */
  readonly tag_length: Limit
}

export type LimitName = keyof DatabaseLimits

export type LimitsOf = (database: string) => DatabaseLimits

/** The limits as the configuration has them when they are asked for. Those of all do not bind the server's own database: only it writes there. */
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

/** What is refused at a limit. */
export class LimitReached extends DbError {
  readonly limit: LimitName

  /** `where` is a database, a table or a tag as the message names it. */
  constructor(where: string, limit: LimitName, { max, key }: Limit, problem = `would have more than ${max} ${limit}`) {
    super('InvalidArguments', `${where} ${problem} (${key})`)
    this.limit = limit
  }
}
