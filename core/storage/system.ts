// The system database, which holds the server's own tables: every user may read it, only the server writes to it.
import { DbError } from '../errors.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesWrite } from '../model/series.ts'
import type { WriteResult } from './store.ts'

/** Name of the system database. */
export const systemDatabase = 'svc_private'

/** Access of plugins to tables in the system database; requests and SQL cannot write there. */
export interface SystemTables {
  /** Like `Store.write`, on behalf of the named plugin. */
  write(plugin: string, writes: readonly (TableWrite | SeriesWrite)[]): Promise<WriteResult>
}

/** Throws DbError `PermissionDenied` for the system database. */
export function refuseSystem(database: string): void {
  if (database !== systemDatabase) return
  const reason = "its tables are the server's own, they can be read but not changed"
  throw new DbError('PermissionDenied', `database ${systemDatabase} is read-only: ${reason}`)
}
