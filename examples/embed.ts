// The server inside another program: start it, write and ask through HTTP or the store, stop it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { columnOf, internalContext, loadConfig } from 'weir-server'
import { catalogue } from 'weir-server/plugins'
import { start } from 'weir-server/start'

const folder = mkdtempSync(join(tmpdir(), 'weir-embed-'))
const { config } = loadConfig({
  overrides: {
    http: { addr: '127.0.0.1:0' },
    storage: { data_home: folder },
    logging: { append_stdout: false, max_log_files: 0 }
  }
})
const server = await start(config, catalogue)
console.log(`serving on ${server.addresses.main}`)

const { store } = server.core
const { rows } = await store.write(internalContext(server.core, 'embed'), [
  {
    table: 'temperature',
    rows: 1,
    columns: [
      columnOf('time', 'timestamp', 'TimestampMillisecond', [Date.now()]),
      columnOf('value', 'field', 'Float64', [21.5])
    ]
  }
])
console.log(`wrote ${rows} row, the tables are ${store.tables('public').map(table => table.name)}`)

await server.close()
rmSync(folder, { recursive: true })
