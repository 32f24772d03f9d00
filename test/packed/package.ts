// Builds the package as it is published, once for all tests; rebuilds it only when its sources have changed.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** What `npm run build` makes. */
export const packageFolder = join(root, 'dist/package')

/**
 * The environment of a user's shell: npm finds the Node of this process rather than the machine's, and nothing run in a temporary folder
 * fills the cache of compiled code.
 */
export const env = {
  ...process.env,
  NODE_DISABLE_COMPILE_CACHE: '1',
  PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`
}

const execute = promisify(execFile)

/** Runs a program without the options that tap gives to every Node below a test, whatever the environment says. Rejects as execFile does. */
export function run(cwd: string, program: string, ...args: readonly string[]) {
  return execute('env', ['-u', 'NODE_OPTIONS', program, ...args], { cwd, env, maxBuffer: 2 ** 26 })
}

/** Standard output of npm. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await run(cwd, 'npm', ...args)).stdout
}

const sources = [
  '{bin,build,client,core,docs,examples,packaging,plugins,plugins-extra,test/contract}/**',
  '*.{json,md}'
]
const stamp = join(root, 'dist/package.stamp')
const lock = join(root, 'dist/package.lock')

/** Resolves when `dist/package` is what the sources make. */
export async function buildPackage(): Promise<void> {
  mkdirSync(join(root, 'dist'), { recursive: true })
  while (!acquire()) await setTimeout(100)
  try {
    const wanted = stateOfSources()
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
    rmSync(stamp, { force: true })
    await run(root, process.execPath, 'build/package.ts')
    writeFileSync(stamp, wanted)
  } finally {
    rmSync(lock, { force: true })
  }
}

/** The file holds the id of the process that builds. If that process no longer runs, nothing is being built. */
function acquire(): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    try {
      process.kill(Number(readFileSync(lock, 'utf8')), 0)
    } catch {
      rmSync(lock, { force: true })
    }
    return false
  }
}

function stateOfSources(): string {
  const hash = createHash('sha256')
  const exclude = ['plugins/dashboard/assets/**', '**/node_modules/**']
  for (const file of globSync(sources, { cwd: root, exclude }).sort()) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
