// The driver's configuration.
import type { Config } from '../../config/schema.ts'

export type ClickHouseConfig = Config['storage']['clickhouse']

/** Oldest version of the cluster that has what tables need: a merge tree that keeps the last value of each field. */
export const oldestVersion = [25, 6] as const
