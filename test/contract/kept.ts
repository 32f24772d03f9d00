// Checks that the rows of a request stay the same: right after the write, after a kill, in files, after a restart.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Core, internalContext, systemDatabase } from '../../core/index.ts'
import { lines } from './engine/rows.ts'
import type { TestServer } from './server.ts'

/** Rows by table, each as a line; without system tables. */
export type RowsFound = Readonly<Record<string, string>>

export interface Looks {
  /** Starts the server over a folder. */
  boot(folder: string): Promise<TestServer>
  /** Sends what stores rows. */
  write(server: TestServer): Promise<void>
  look(when: string, rows: RowsFound): void
}

/** Looks at the rows in every place they get to. */
export async function lookEverywhere({ boot, write, look }: Looks): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-kept-'))
  const killed = `${folder}-killed`
  const from = async (folder: string, work: (server: TestServer) => Promise<void>) => {
    const server = await boot(folder)
    try {
      await work(server)
    } finally {
      await server.discard()
    }
  }
  try {
    await from(folder, async server => {
      await write(server)
      look('at once', await rowsOf(server.core))
      cpSync(folder, killed, { recursive: true })
      await server.core.store.maintain(internalContext(server.core, 'contract'), { kind: 'flush' })
      look('in files', await rowsOf(server.core))
    })
    for (const [when, place] of [
      ['after a kill', killed],
      ['after a restart', folder]
    ] as const) {
      await from(place, async server => look(when, await rowsOf(server.core)))
    }
  } finally {
    for (const place of [folder, killed]) rmSync(place, { recursive: true, force: true })
  }
}

/** All rows there are. */
export async function rowsOf(core: Core): Promise<RowsFound> {
  const { store } = core
  const found: Record<string, string> = {}
  for (const { name } of store.databases().filter(({ name }) => name !== systemDatabase)) {
    for (const table of store.tables(name)) {
      const columns = table.columns.map(column => column.name)
      const result = await store.query(internalContext(core, 'contract'), { kind: 'scan', table, columns })
      found[`${name}.${table.name}`] = await lines(result)
    }
  }
  return found
}
