import { readFileSync } from 'node:fs'
import t from 'tap'
import { openDuckdb } from '../../../core/storage/embedded/duckdb/index.ts'
import { collect } from '../../../core/workers/free.ts'
import { temporaryFolder } from '../../helpers.ts'

const MiB = 2 ** 20
const skip = process.platform !== 'linux' && 'only the allocator of Linux'

t.test('free memory between memory in use goes back to the system', { skip }, async t => {
  const folder = temporaryFolder(t)
  const duckdb = await openDuckdb({ folders: [folder], spill: folder, memoryLimit: 2 ** 28, threads: 1 })
  t.teardown(() => duckdb.close())
  const kept = scatter()
  collect('major')
  await new Promise(resolve => setTimeout(resolve, 200))
  const before = resident()
  await duckdb.trim()
  const after = resident()
  t.ok(before - after > 100 * MiB, `${before} bytes before, ${after} after`)
  t.equal(kept.length, 4_000)
  t.rejects(duckdb.run("SET GLOBAL temp_directory=''"), /locked/, 'other settings stay as they are')
})

/** Blocks of 50 kB that go, each beside a small one that stays. */
function scatter(): readonly Uint8Array[] {
  const gone: Uint8Array[] = []
  const kept: Uint8Array[] = []
  for (let i = 0; i < 4_000; i++) {
    gone.push(new Uint8Array(50_000).fill(1))
    kept.push(new Uint8Array(300).fill(1))
  }
  return kept
}

function resident(): number {
  return Number(/^Rss:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))![1]) * 1024
}
