// The example of embedding, run as it stands.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'

t.test('a program starts the server, writes through the store and stops it', async t => {
  const file = join(import.meta.dirname, '../../examples/embed.ts')
  const out = execFileSync(process.execPath, [file], { encoding: 'utf8' })
  t.match(out, /^serving on http:\/\/127\.0\.0\.1:\d+\nwrote 1 row, the tables are temperature\n$/)
})
