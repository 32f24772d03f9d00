// The end of all writes until a restart, for example after a failed sync.
import { DbError } from '../../errors.ts'

/** Seconds in which somebody may have restarted the server. */
const restartTime = 30

/**
 * The error of every write from now on. After a failed sync nobody knows what is on the disk, and the system reports it once only; the next start
 * reads what is there.
 */
export function needsRestart(reason: string, cause: unknown): DbError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new DbError('StorageUnavailable', `${reason}: ${text}; restart the server`, { cause, retryAfter: restartTime })
}
