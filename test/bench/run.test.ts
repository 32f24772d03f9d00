// What somebody sees who calls a bench wrongly.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const program = fileURLToPath(new URL('../../bench/run.ts', import.meta.url))

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

t.test('without a name, the names', async t => {
  const { status, stderr } = run()
  t.equal(status, 2)
  t.match(stderr, /^usage: npm run bench -- NAME \[options\], NAME one of clickhouse, .*\bscale\b/)
})

t.test('--help tells what is measured, and the options with their defaults', async t => {
  const { status, stdout } = run('scale', '--help')
  t.equal(status, 0)
  t.match(stdout, /^A quarter of a day of a large fleet/)
  t.match(stdout, / {2}--series VALUE {2}\(usually 50000\)\n/)
})

t.test('an unknown option is named', async t => {
  const { status, stderr } = run('sql-plan', '--nope')
  t.equal(status, 2)
  t.match(stderr, /^Unknown option '--nope'/)
  t.notMatch(stderr, /node:internal/)
})
