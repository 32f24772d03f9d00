// Wraps a store: changes of schemas and deletes are written to the audit log.
import type { Audit } from '../audit.ts'
import type { RequestContext } from '../http/context.ts'
import type { TableWrite } from '../model/batch.ts'
import type { SeriesWrite } from '../model/series.ts'
import type { Store } from './store.ts'

/** All other methods are those of the wrapped store. */
export function auditedStore(store: Store, audit: Pick<Audit, 'watch'>): Store {
  const tableName = ({ database, name }: { readonly database: string; readonly name: string }) => `${database}.${name}`
  const audited: Store = {
    ...store,
    seenBy: user => store.seenBy(user, audited),
    write(ctx, writes) {
      const deleted = writes.filter(isDelete)
      const work = () => store.write(ctx, writes)
      if (deleted.length === 0) return work()
      const target = deleted
        .map(({ database = ctx.db, table, rows }) => `${database}.${table} (${rows} rows)`)
        .join(', ')
      return audit.watch(ctx, 'delete', target, work)
    },
    createDatabase: (ctx, name, options, existing) =>
      audit.watch(ctx, 'create_database', name, () => store.createDatabase(ctx, name, options, existing)),
    changeDatabase: (ctx, name, options) =>
      audit.watch(ctx, 'alter_database', name, () => store.changeDatabase(ctx, name, options)),
    dropDatabase: (ctx, name) => audit.watch(ctx, 'drop_database', name, () => store.dropDatabase(ctx, name)),
    createTable: (ctx, definition, existing) =>
      audit.watch(ctx, 'create_table', tableName(definition), () => store.createTable(ctx, definition, existing)),
    changeTable: (ctx, table, change) =>
      audit.watch(ctx, change.kind === 'truncate' ? 'truncate_table' : 'alter_table', tableName(table), () =>
        store.changeTable(ctx, table, change)
      ),
    dropTable: (ctx, table) => audit.watch(ctx, 'drop_table', tableName(table), () => store.dropTable(ctx, table)),
    putView: (ctx, view, existing) =>
      audit.watch(ctx, 'create_view', tableName(view), () => store.putView(ctx, view, existing)),
    dropView: (ctx, view) => audit.watch(ctx, 'drop_view', tableName(view), () => store.dropView(ctx, view)),
    maintain: (ctx: RequestContext, task) => {
      const target = task.kind === 'backup' || task.table === undefined ? 'everything' : tableName(task.table)
      return audit.watch(ctx, task.kind, target, () => store.maintain(ctx, task))
    }
  }
  return audited
}

function isDelete(write: TableWrite | SeriesWrite): write is TableWrite {
  return 'op' in write && write.op === 'delete'
}
