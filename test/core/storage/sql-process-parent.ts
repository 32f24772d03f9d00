// A program with a query process, for tests that kill it: prints the number of the query process while a statement runs in it.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { SqlProcess } from '../../../core/storage/embedded/sql/sql-process.ts'

const sql = new SqlProcess({
  name: 'user',
  folders: [tmpdir()],
  temporary: process.argv[2] ?? join(tmpdir(), 'weir-orphan'),
  threads: 2,
  memoryLimit: 256 << 20,
  hardLimit: 1 << 30,
  log: pino({ level: 'silent' })
})
const never = new AbortController().signal
await sql.run({ text: 'SELECT 1', timezone: 'UTC' }, never)
const endless = 'SELECT sum(a.i * b.i) FROM range(100000) a(i), range(100000000) b(i)'
sql.run({ text: endless, timezone: 'UTC' }, never).catch(() => {})
process.stdout.write(`${sql.statistics().pid}\n`)
