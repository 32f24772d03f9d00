// The database of the server's own tables: everybody may read it, nobody but the server changes it.
import { DbError } from '../errors.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesWrite } from '../model/series.ts'
import type { WriteResult } from './store.ts'

export const systemDatabase = 'svc_private'

/** How plugins keep something in tables of the system database; requests and SQL cannot. */
export interface SystemTables {
  /** The same as `Store.write`, as the plugin of this name. */
  write(plugin: string, writes: readonly (TableWrite | SeriesWrite)[]): Promise<WriteResult>
}

/** Throws DbError `PermissionDenied` for the system database. */
export function refuseSystem(database: string): void {
  if (database !== systemDatabase) return
  const reason = "its tables are the server's own, they can be read but not changed"
  throw new DbError('PermissionDenied', `database ${systemDatabase} is read-only: ${reason}`)
}
