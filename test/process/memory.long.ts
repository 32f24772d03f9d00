// Memory settings that can only be set when a process starts.
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { type ServerProcess, serverFolder, startProcess } from './server.ts'

const skip = process.platform !== 'linux' && 'reads /proc'

/** Arguments and environment as the kernel knows them. */
function startOf({ pid }: ServerProcess) {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  return { args: read('cmdline').slice(1), env: read('environ') }
}

t.test('the server starts with settings of the heap and the allocator, as the process it was', { skip }, async t => {
  const { args, env } = startOf(await startProcess(t, serverFolder(t), { env: { NODE_OPTIONS: '' } }))
  t.equal(args[0], '--max-semi-space-size=8')
  t.equal(args[1], '--heap-growing-percent=100')
  t.equal(args.filter(arg => arg === 'start').length, 1)
  t.ok(env.includes('MALLOC_ARENA_MAX=2'))
  t.ok(env.includes('MALLOC_MMAP_THRESHOLD_=1048576'))
})

t.test('settings of the user win', { skip }, async t => {
  const own = { NODE_OPTIONS: '--max-semi-space-size=16' }
  const flag = startOf(await startProcess(t, serverFolder(t), { env: own }))
  t.notOk(flag.args.some(arg => arg.includes('semi-space')))
  const arenas = startOf(await startProcess(t, serverFolder(t), { env: { NODE_OPTIONS: '', MALLOC_ARENA_MAX: '3' } }))
  t.ok(arenas.env.includes('MALLOC_ARENA_MAX=3'))
  t.notOk(arenas.env.includes('MALLOC_ARENA_MAX=2'))
})

/** What the system counts for a process and its children, shared memory counted once. */
function treeBytes(pid: number): number {
  const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && parentOf(name) === String(pid))
  const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(found![1]) * 1024 + children.reduce((sum, child) => sum + treeBytes(Number(child)), 0)
}

function parentOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]
  } catch {
    return undefined
  }
}

async function partsOf({ url }: ServerProcess): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return new Map(
    Array.from(text.matchAll(/^svc_memory_bytes\{part="(\w+)"\} (\d+)/gm), ([, part, value]) => [part!, Number(value)])
  )
}

t.test('the parts of the memory make up what the system counts, in every state', { skip }, async t => {
  const server = await startProcess(t, serverFolder(t))
  const ask = (sql: string) =>
    fetch(`${server.url}/v1/sql?sql=${encodeURIComponent(sql)}`).then(answer => answer.text())
  const check = async (state: string) => {
    const [before, parts, after] = [treeBytes(server.pid), await partsOf(server), treeBytes(server.pid)]
    const sum = [...parts.values()].reduce((sum, bytes) => sum + bytes, 0) - parts.get('spool')!
    const shown = `${state}: ${JSON.stringify(Object.fromEntries(parts))}, the system says ${before} to ${after}`
    t.ok(sum > 0.85 * Math.min(before, after) && sum < 1.15 * Math.max(before, after), shown)
    return parts
  }
  await check('started')
  const lines = Array.from({ length: 200 }, (_, i) => `m,host=h${i} n=${i} `)
  for (let round = 0; round < 100; round++) {
    const body = Array.from({ length: 10 }, (_, k) => lines.map(line => `${line}${1_700_000_000 + round * 10 + k}`))
    await fetch(`${server.url}/v1/lineproto/write?precision=s`, { method: 'POST', body: body.flat().join('\n') })
  }
  const loaded = await check('loaded')
  t.ok(loaded.get('rows')! > 200_000 * 20, 'rows are counted')
  t.match(await ask('SELECT count(*) FROM m'), /200000/)
  const asked = await check('asked by SQL')
  t.ok(asked.get('spool')! > 0 && asked.get('statements')! > 0)
  await ask("ADMIN flush_table('m')")
  const flushed = await check('flushed')
  t.ok(flushed.get('rows')! < loaded.get('rows')!)
})
