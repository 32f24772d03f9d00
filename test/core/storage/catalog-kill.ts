// Opens an engine that exits at a failpoint while it creates a table: `catalog-kill.ts FOLDER FAILPOINT`.
import { createTable, makeEngine, put } from './fixtures.ts'

const [, , dir, point] = process.argv
const engine = makeEngine(dir!)
await engine.open()
const table = await createTable(engine, 'first')
await put(engine, table, [
  { host: 'x', at: 1 },
  { host: 'x', at: 2 }
])
process.stdout.write('stored\n')
process.env.WEIR_FAULT = point
await createTable(engine, 'second')
process.stdout.write('made\n')
