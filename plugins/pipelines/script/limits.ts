// How much scripts may do. A pipeline comes from a tenant and runs in the server's own process.
import { formatSize } from '../../../core/compute.ts'

export interface ScriptLimits {
  /** Characters of a script. */
  readonly length: number
  /** Bytes that one expression, and one item, may take. */
  readonly output: number
  /** Milliseconds for one item. */
  readonly time: number
  /** Rows that one item may become. */
  readonly rows: number
  /** Messages that one script may log in a request. */
  readonly logs: number
  /** Milliseconds for all items of a request. */
  readonly requestTime: number
  /** Bytes that all items of a request may take. */
  readonly requestOutput: number
}

export const defaultScriptLimits: ScriptLimits = {
  length: 65_536,
  output: 16 * 1024 * 1024,
  time: 1000,
  rows: 10_000,
  logs: 100,
  requestTime: 10_000,
  requestOutput: 256 * 1024 * 1024
}

/** Why a script failed, for the metrics. */
export type ScriptFailure = 'compile' | 'error' | 'abort' | 'limit' | 'result'

/** The configuration's key of each limit, and its value as the configuration writes it. */
const shown: Readonly<Record<keyof ScriptLimits, (value: number) => string>> = {
  length: value => `vrl_max_length = ${value}`,
  output: value => `vrl_max_output = "${formatSize(value)}"`,
  time: value => `vrl_max_time = "${value}ms"`,
  rows: value => `vrl_max_rows = ${value}`,
  logs: value => `vrl_max_logs = ${value}`,
  requestTime: value => `vrl_max_request_time = "${value}ms"`,
  requestOutput: value => `vrl_max_request_output = "${formatSize(value)}"`
}

/** `[plugins.pipelines] vrl_max_rows = 10000`: what to change where a limit is too narrow. */
export function limitText(limits: ScriptLimits, name: keyof ScriptLimits): string {
  return `[plugins.pipelines] ${shown[name](limits[name])}`
}
