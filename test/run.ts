// Runs test files, each in a process of its own and some side by side: all of them, with --long those that take long, or the named files and folders.
// The same files run with `npx tap run`, too, which looks at every module that any process loads: coverage needs that, and it takes its time.
import { spawn } from 'node:child_process'
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compileCache } from './compile-cache.ts'

const root = join(import.meta.dirname, '..')
/** What the files took the last time, milliseconds: the longest begin first, so that none runs alone at the end. */
const timesFile = join(compileCache, 'times.json')

interface Counts {
  readonly total: number
  readonly pass: number
  readonly fail: number
  readonly skip: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    /** Seconds for each file. */
    timeout: { type: 'string', default: '900' },
    jobs: { type: 'string', default: String(availableParallelism() + 1) }
  }
})

/** Those that take long have a name of their own, and what can be as long as it likes asks `isLong`. */
function filesToRun(): string[] {
  if (positionals.length > 0)
    return positionals.flatMap(name => (statSync(join(root, name)).isDirectory() ? testsIn(name) : name))
  const usual = testsIn('test')
  if (!values.long) return usual
  const asking = usual.filter(file => readFileSync(join(root, file), 'utf8').includes("/long.ts'"))
  return [...globSync('test/**/*.long.ts', { cwd: root }).sort(), ...asking]
}

function testsIn(folder: string): string[] {
  return globSync(`${folder}/**/*.test.ts`, { cwd: root }).sort()
}

/** Flags of each test file's process. */
const preloaded = ['temporary', 'no-async-hooks'].map(name => `--import=./test/${name}.ts`)

const running = new Set<ReturnType<typeof spawn>>()

function run(file: string): Promise<{ output: string; code: number | string }> {
  const child = spawn(process.execPath, [...preloaded, ...process.execArgv, file], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // It names the compile cache, since that module is loaded here.
    env: { ...process.env, TAP_TIMEOUT: values.timeout, ...(values.long && { WEIR_TEST_LONG: '1' }) }
  })
  running.add(child)
  const parts: Buffer[] = []
  child.stdout.on('data', part => parts.push(part))
  child.stderr.on('data', part => parts.push(part))
  // A file that its own limit does not end is ended here.
  const limit = setTimeout(() => child.kill('SIGKILL'), (Number(values.timeout) + 30) * 1000)
  return new Promise(resolve =>
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      running.delete(child)
      resolve({ output: Buffer.concat(parts).toString(), code: code ?? signal ?? 'nothing' })
    })
  )
}

/** A file that ends badly without a failed assertion has one. */
function countsOf(output: string, code: number | string): Counts {
  const [, found = ''] = [...output.matchAll(/^# (\{ total: .* \})$/gm)].at(-1) ?? []
  const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(found)?.[1] ?? 0)
  const [total, pass, fail, skip] = [count('total'), count('pass'), count('fail'), count('skip') + count('todo')]
  if (code !== 0 && fail === 0) return { total: total + 1, pass, fail: 1, skip }
  return { total, pass, fail, skip }
}

function knownTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'))
  } catch {
    return {}
  }
}

const indented = (output: string) => output.replace(/^(?=.)/gm, '    ')

const files = filesToRun()
const times = knownTimes()
const waiting = files.toSorted((a, b) => (times[b] ?? 0) - (times[a] ?? 0))
const sum = { total: 0, pass: 0, fail: 0, skip: 0 }
const began = performance.now()
let done = 0

async function work(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const start = performance.now()
    const { output, code } = await run(file)
    const took = performance.now() - start
    const counts = countsOf(output, code)
    for (const name of ['total', 'pass', 'fail', 'skip'] as const) sum[name] += counts[name]
    const isGood = code === 0 && counts.fail === 0
    if (isGood) times[file] = Math.round(took)
    if (!isGood || files.length === 1) console.log(`# Subtest: ${file}\n${indented(output)}`)
    const end = isGood ? '' : ` (ended with ${code})`
    console.log(`${isGood ? 'ok' : 'not ok'} ${++done} - ${file}${end} # time=${took.toFixed(0)}ms`)
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.exitCode = 1
    waiting.length = 0
  })
}
await Promise.all(Array.from({ length: Number(values.jobs) }, work))
writeFileSync(timesFile, JSON.stringify(times))
const shown = Object.entries(sum).filter(([name, count]) => count > 0 || name === 'pass')
console.log(`# { ${shown.map(([name, count]) => `${name}: ${count}`).join(', ')} }`)
console.log(`# time=${(performance.now() - began).toFixed(0)}ms`)
if (sum.fail > 0 || sum.total === 0) process.exitCode = 1
