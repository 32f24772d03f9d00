// Wraps a store: changes of schemas are written to the audit log. Deletes are writes, which `store-write.ts` audits.
import type { Audit } from '../audit.ts'
import type { RequestContext } from '../http/context.ts'
import type { Store } from './store.ts'

/** All other methods are those of the wrapped store. */
export function auditedStore(store: Store, audit: Pick<Audit, 'watch'>): Store {
  const tableName = ({ database, name }: { readonly database: string; readonly name: string }) => `${database}.${name}`
  const audited: Store = {
    ...store,
    seenBy: user => store.seenBy(user, audited),
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
