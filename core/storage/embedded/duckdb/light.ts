// An instance of DuckDB for statements over rows in memory: it has one thread, because to wake a second one takes longer than they do.
import { DuckDBInstance } from '@duckdb/node-api'
import { type Connections, createConnections } from './connections.ts'
import { type RowSource, RowSources } from './rows.ts'
import { everyInstance, inKiB } from './settings.ts'

export interface LightDuckdb extends Pick<Connections, 'whole'> {
  /** Bytes it takes at most; `whole` fails with `RuntimeResourcesExhausted` beyond them. */
  readonly memoryLimit: number
  /** `work` gets the SQL expression that stands for the rows. */
  withRows<T>(source: RowSource, work: (rows: string) => Promise<T>): Promise<T>
  close(finish: boolean): Promise<void>
}

/** It is there for little: at most so many bytes, and at most such a share of what all may use. */
const mostMemory = 64 << 20
const share = 1 / 8

interface Parts {
  readonly connections: Connections
  readonly sources: RowSources
  close(finish: boolean): Promise<void>
}

/** Opens with the first use. `memoryLimit` is that of all. */
export function openLight(memoryLimit: number): LightDuckdb {
  const own = Math.floor(Math.min(mostMemory, memoryLimit * share))
  let opened: Promise<Parts> | undefined
  const parts = () => {
    opened ??= open(own).catch(error => {
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    memoryLimit: own,
    withRows: async (source, work) => (await parts()).sources.use(source, work),
    whole: async (statement, signal, release) => (await parts()).connections.whole(statement, signal, release),
    close: async finish => (await opened)?.close(finish)
  }
}

async function open(memoryLimit: number): Promise<Parts> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...everyInstance,
    memory_limit: inKiB(memoryLimit),
    temp_directory: '',
    threads: '1'
  })
  const main = await instance.connect()
  await main.run(
    `SET GLOBAL TimeZone='UTC';
     SET GLOBAL allowed_configs=['TimeZone'];
     SET GLOBAL enable_external_access=false;
     SET GLOBAL lock_configuration=true`
  )
  const connections = createConnections(instance)
  return {
    connections,
    sources: new RowSources(main),
    async close(finish) {
      await connections.close(finish)
      main.closeSync()
      instance.closeSync()
    }
  }
}
