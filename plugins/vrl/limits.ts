// Limits of scripts, because pipelines come from tenants.
import { formatSize } from '../../core/compute.ts'

export interface ScriptLimits {
  /** Characters of a script. */
  readonly max_length: number
  /** Bytes that one expression, and one item, may take. */
  readonly max_output: number
  /** Milliseconds for one item. */
  readonly max_time: number
  /** Rows that one item may become. */
  readonly max_rows: number
  /** Messages that one script may log in a request. */
  readonly max_logs: number
  /** Milliseconds for all items of a request. */
  readonly max_request_time: number
  /** Bytes that all items of a request may take. */
  readonly max_request_output: number
}

export const defaultLimits: ScriptLimits = {
  max_length: 65_536,
  max_output: 16 * 1024 * 1024,
  max_time: 1000,
  max_rows: 10_000,
  max_logs: 100,
  max_request_time: 10_000,
  max_request_output: 256 * 1024 * 1024
}

/** The reason of a script's failure, as a metric label. */
export type ScriptFailure = 'compile' | 'error' | 'abort' | 'limit' | 'result'

/** For messages: `[plugins.vrl] max_rows = 10000`, the key that sets a limit. */
export function limitText(limits: ScriptLimits, key: keyof ScriptLimits): string {
  const value = limits[key]
  const shown = key.endsWith('output') ? `"${formatSize(value)}"` : key.endsWith('time') ? `"${value}ms"` : value
  return `[plugins.vrl] ${key} = ${shown}`
}
