// Programs that drive several servers alike; they do not belong to the project.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = process.env.WEIR_CONFORMANCE_DIR ?? fileURLToPath(new URL('../../shared', import.meta.url))

/** Runs a program of the material with arguments and shows what it prints; false, and a word about it, where it is missing. */
export async function runMaterial(name: string, args: readonly string[]): Promise<boolean> {
  const program = join(home, 'bench', name)
  if (!existsSync(program)) {
    console.log(`skipped: there is no ${program}; WEIR_CONFORMANCE_DIR names the folder`)
    return false
  }
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) process.exitCode = 1
  return true
}
