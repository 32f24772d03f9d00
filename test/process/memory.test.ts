// Memory settings that a process can only have from its start.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { type ServerProcess, serverFolder, startProcess } from './server.ts'

const skip = process.platform !== 'linux' && 'reads /proc'

/** Arguments and environment as the kernel knows them. */
function startOf({ pid }: ServerProcess) {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  return { args: read('cmdline').slice(1), env: read('environ') }
}

t.test(
  'the server starts with a small young space and allocator settings, as the process it was',
  { skip },
  async t => {
    const { args, env } = startOf(await startProcess(t, serverFolder(t), { env: { NODE_OPTIONS: '' } }))
    t.equal(args[0], '--max-semi-space-size=16')
    t.equal(args.filter(arg => arg === 'start').length, 1)
    t.ok(env.includes('MALLOC_ARENA_MAX=4'))
    t.ok(env.includes('MALLOC_MMAP_THRESHOLD_=1048576'))
  }
)

t.test('settings of the user win', { skip }, async t => {
  const own = { NODE_OPTIONS: '--max-semi-space-size=8' }
  const flag = startOf(await startProcess(t, serverFolder(t), { env: own }))
  t.notOk(flag.args.some(arg => arg.includes('semi-space')))
  const arenas = startOf(await startProcess(t, serverFolder(t), { env: { NODE_OPTIONS: '', MALLOC_ARENA_MAX: '2' } }))
  t.ok(arenas.env.includes('MALLOC_ARENA_MAX=2'))
  t.notOk(arenas.env.includes('MALLOC_ARENA_MAX=4'))
})
