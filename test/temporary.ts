// Loaded before each test file (.taprc): what a test and its programs put into the folder for temporary files goes with the test's process,
// however that ends.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'weir-tests-'
const shared = tmpdir()
const own = join(shared, `${prefix}${process.pid}`)
/** Milliseconds after which the folder of a process that no longer runs is removed: it was killed. */
const abandoned = 3_600_000

/** What is still written to stays for a later test to remove. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {}
}

function isAbandoned(name: string): boolean {
  try {
    if (Date.now() - statSync(join(shared, name)).mtimeMs < abandoned) return false
    process.kill(Number(name.slice(prefix.length)), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

for (const name of readdirSync(shared)) if (name.startsWith(prefix) && isAbandoned(name)) remove(join(shared, name))
remove(own)
mkdirSync(own, { recursive: true })
process.env['TMPDIR'] = own
process.on('exit', () => remove(own))
