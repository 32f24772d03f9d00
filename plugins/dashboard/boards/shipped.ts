// Dashboards that come with the server.
import type { Dialect } from '../../../core/index.ts'
import { accessLog } from './shipped/access-log.ts'
import { nodeExporter } from './shipped/node-exporter.ts'
import { serverItself } from './shipped/server.ts'
import type { Board } from './store.ts'

/** The shipped dashboards, with statements in this dialect. */
export function shippedBoards(dialect: Pick<Dialect, 'name'>): readonly Board[] {
  const documents = { 'weir-server': serverItself, 'node-exporter': nodeExporter, 'access-log': accessLog(dialect) }
  return Object.entries(documents).map(([id, { title, ...document }]) => ({
    id,
    title,
    owner: '',
    shared: true,
    shipped: true,
    created: 0,
    updated: 0,
    revision: 1,
    document: JSON.stringify(document)
  }))
}
