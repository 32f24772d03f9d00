// The audit log: schema changes, deletes, administration and refused requests, with their users, as lines of JSON.

import type { Config } from './config/schema.ts'
import { isDbError } from './errors.ts'
import type { RequestContext } from './http/context.ts'
import { createLogFiles } from './log/file.ts'
import type { Metrics } from './metrics/metrics.ts'
import { shorten } from './model/shorten.ts'

/** A line of the audit log. */
interface AuditEvent {
  /** `login`, `create_table`, `delete`, `call` … */
  readonly action: string
  readonly user: string
  /** Address of the client; absent for work of the server itself. */
  readonly address?: string | undefined
  readonly server?: string
  readonly db?: string
  /** The object of the action, for example a table. */
  readonly target?: string
  /** `ok`, or the code of the error. */
  readonly result: string
}

export interface Audit {
  record(event: AuditEvent): void
  /** Runs an action and records how it ended; one that resolves with false has changed nothing, and has no line. */
  watch<T>(ctx: RequestContext, action: string, target: string, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Maximum characters of a client's text; longer ones are cut. */
const maxText = 500

/** Throws if the folder cannot be created. Lines that cannot be written are dropped and counted. */
export function createAudit(config: Config['audit'], metrics: Metrics): Audit {
  const events = metrics.counter('svc_audit_events_total', 'Lines of the audit log, by what was done.', ['action'])
  const help = 'Lines of the audit log that could not be written, or went beyond [audit] max_file_size.'
  const lost = metrics.counter('svc_audit_lines_lost_total', help)
  lost.add(0)
  const { dir, max_files: keep, max_file_size: maxBytes } = config
  const onLost = (lines: number) => lost.add(lines)
  const files = config.enable ? createLogFiles({ name: 'audit', dir, keep, maxBytes, onLost }) : undefined
  const record = (event: AuditEvent) => {
    if (files === undefined) return
    events.add(1, { action: event.action })
    const entries = Object.entries(event).map(([key, value]) => [
      key,
      typeof value === 'string' ? shorten(value, maxText) : value
    ])
    files.write(`${JSON.stringify({ time: new Date().toISOString(), ...Object.fromEntries(entries) })}\n`)
  }
  return {
    record,
    async watch(ctx, action, target, work) {
      if (files === undefined || ctx.channel === 'internal') return work()
      const event = { action, user: ctx.user.name, address: ctx.address, server: ctx.channel, db: ctx.db, target }
      try {
        const done = await work()
        if (done !== false) record({ ...event, result: 'ok' })
        return done
      } catch (error) {
        record({ ...event, result: isDbError(error) ? error.code : 'Unknown' })
        throw error
      }
    },
    async close() {
      await files?.close()
    }
  }
}
