// All flows: stored in a table, started with the server, created and dropped by SQL statements.
import { authorise, DbError, enabledService, every, type PluginCore, serialQueue } from '../../core/index.ts'
import type { FlowDefinition, FlowsService, SqlQueryService } from '../services.ts'
import { Flow, type FlowOptions, reasonOfFailure } from './flow.ts'
import { flowWrite, readFlows } from './table.ts'

interface FlowsOptions extends FlowOptions {
  readonly max_flows: number
}

/** Milliseconds between two reads of the flows that other processes create, replace and drop. */
const refreshInterval = 5_000

/** Without the plugin `sql` no flow runs. Where several servers share their data, each runs all flows. */
export async function openFlows(
  core: PluginCore,
  sql: SqlQueryService | undefined,
  options: FlowsOptions
): Promise<FlowsService & { close(): Promise<void> }> {
  const log = core.log
  const running = new Map<string, Flow>()
  const windows = core.metrics.counter(
    'svc_flows_windows_total',
    'Windows that flows recomputed because rows were written.',
    ['db']
  )
  const rows = core.metrics.counter('svc_flows_rows_total', 'Rows that flows put into their tables.', ['db'])
  const whole = core.metrics.counter('svc_flows_fills_total', 'Times that flows recomputed all their windows.', ['db'])
  const failures = core.metrics.counter(
    'svc_flows_failed_total',
    'Failures of flows; a flow that failed is tried again.',
    ['db', 'code']
  )
  const keyOf = (database: string, name: string) => JSON.stringify([database, name])

  const definitions = () => Array.from(running.values(), flow => flow.definition)

  const begin = (definition: FlowDefinition) => {
    const db = core.store.label(definition.database)
    const own = keyOf(definition.database, definition.name)
    const flow = new Flow(core, enabledService(sql, 'sql', 'a flow'), definition, options, {
      // Two servers may close a circle at the same time; of its flows the last one, which both agree on, does not run.
      check: () =>
        checkCircle(
          definition,
          definitions().filter(({ database, name }) => keyOf(database, name) < own)
        ),
      refreshed(count, written) {
        if (count === 'all') whole.add(1, { db })
        else windows.add(count, { db })
        rows.add(written, { db })
      },
      failed(error) {
        failures.add(1, { db, code: reasonOfFailure(error) })
        log.warn({ err: error, flow: definition.name, db: definition.database }, 'a flow failed: it is tried again')
      }
    })
    running.set(own, flow)
    return flow.start()
  }
  // Changes run one after another, so that each sees the result of the previous ones.
  const serially = serialQueue()

  const service: FlowsService = {
    async create(ctx, definition, existing) {
      authorise(ctx.user, 'write')
      const created = await serially(async () => {
        const before = running.get(keyOf(definition.database, definition.name))
        if (before !== undefined && existing !== 'replace') {
          if (existing === 'keep') return undefined
          throw new DbError('InvalidArguments', `flow ${definition.name} exists already`)
        }
        if (before === undefined && running.size >= options.max_flows) {
          const error = new DbError(
            'InvalidArguments',
            `there are ${options.max_flows} flows already (plugins.flows.max_flows)`
          )
          core.refused(error)
          throw error
        }
        checkCircle(
          definition,
          definitions().filter(other => other !== before?.definition)
        )
        // The flow of the same name shows, and runs, until what replaces it is durable.
        await core.system.write(core.plugin, [flowWrite(definition, 'put')])
        await before?.stop()
        return { filled: begin(definition) }
      })
      // Other flows may be made meanwhile.
      if (created !== undefined) await Promise.race([created.filled, aborted(ctx.signal)])
    },
    drop(ctx, database, name) {
      authorise(ctx.user, 'write')
      return serially(async () => {
        const flow = running.get(keyOf(database, name))
        if (flow === undefined) return
        await core.system.write(core.plugin, [flowWrite(flow.definition, 'delete')])
        await flow.stop()
        running.delete(keyOf(database, name))
      })
    },
    list: database =>
      definitions()
        .filter(definition => definition.database === database)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    async flush(_ctx, database, name) {
      const flow = running.get(keyOf(database, name))
      if (flow === undefined) throw new DbError('InvalidArguments', `there is no flow ${name} in ${database}`)
      await flow.caughtUp()
    }
  }
  /** Runs the flows that are stored, and no others. */
  const refresh = async () => {
    const stored = new Map((await readFlows(core)).map(flow => [keyOf(flow.database, flow.name), flow]))
    for (const [key, flow] of running) {
      if (JSON.stringify(stored.get(key)) === JSON.stringify(flow.definition)) stored.delete(key)
      else {
        await flow.stop()
        running.delete(key)
      }
    }
    for (const definition of stored.values()) begin(definition).catch(() => {})
  }
  const fail = (error: unknown) => core.log.warn({ err: error }, 'flows of other processes could not be read')
  sql?.useFlows(service)
  if (sql !== undefined) await refresh()
  const isShared = sql !== undefined && core.store.isShared
  const timer = isShared ? every(refreshInterval, () => void serially(refresh).catch(fail)).unref() : undefined
  return {
    ...service,
    async close() {
      timer?.stop()
      await serially(async () => {})
      await Promise.all(Array.from(running.values(), flow => flow.stop()))
    }
  }
}

/** Ends the wait of an aborted request; the flow continues. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Throws DbError `InvalidArguments` where the rows of a flow come back, through other flows, to the table it reads: they would run for ever. */
function checkCircle({ query: { source }, sink }: FlowDefinition, others: readonly FlowDefinition[]): void {
  const ways: { readonly to: TableName; readonly by: readonly string[] }[] = [{ to: sink, by: [] }]
  const seen = new Set<string>()
  for (const { to, by } of ways) {
    if (isSame(to, source) && by.length > 0) {
      const place = `${source.database}.${source.table}`
      throw new DbError(
        'InvalidArguments',
        `its rows would come back to ${place}, which it reads: flows ${by.join(', ')}`
      )
    }
    const key = JSON.stringify([to.database, to.table])
    if (seen.has(key)) continue
    seen.add(key)
    for (const other of others)
      if (isSame(other.query.source, to)) ways.push({ to: other.sink, by: [...by, `${other.database}.${other.name}`] })
  }
}

type TableName = FlowDefinition['sink']

function isSame(a: TableName, b: TableName): boolean {
  return a.database === b.database && a.table === b.table
}
