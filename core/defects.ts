// Handles uncaught errors: logs them with the plugin and request they belong to, then ends the process in order.
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reasonOf } from './errors.ts'
import { exitNow, exitWithin } from './exit.ts'
import { pluginAtWork } from './phase.ts'
import type { Running } from './start.ts'

/** Exit code after a defect: EX_SOFTWARE of sysexits.h. */
const exitCode = 70

/** Milliseconds the server has to close, beyond `http.shutdown_grace`. */
export const closingTime = 5_000

interface Defects {
  /** From now on, this server logs defects and is closed by them. */
  follow(running: Running): void
}

/** Watches for uncaught exceptions and rejections. Plugin paths are relative to `folder`. */
export function endOnDefects(folder: string): Defects {
  let running: Running | undefined
  let isEnding = false
  const end = async (thrown: unknown, kind: string) => {
    const plugin = pluginAtWork() ?? (running && pluginOf(thrown, running, folder))
    const text = `${kind}${plugin === undefined ? '' : ` in plugin ${plugin}`} ends the process: ${reasonOf(thrown)}`
    if (running === undefined) process.stderr.write(`weir: ${text}\n${stackOf(thrown)}`)
    else running.core.log.fatal({ plugin, err: thrown instanceof Error ? thrown : undefined }, text)
    if (isEnding) return
    isEnding = true
    if (running === undefined) exitNow(exitCode)
    exitWithin(running.core.config.http.shutdown_grace + closingTime, exitCode)
    await running.close().catch(() => {})
    exitNow(exitCode)
  }
  process.on('uncaughtException', error => void end(error, 'an exception that nobody catches'))
  process.on('unhandledRejection', reason => void end(reason, 'a rejection that nobody handles'))
  return {
    follow(server) {
      running = server
    }
  }
}

/** The plugin of the first plugin file in the stack. */
function pluginOf(thrown: unknown, { core }: Running, folder: string): string | undefined {
  const own = fileURLToPath(new URL('../plugins/', import.meta.url))
  const homes = core.plugins.map(({ name }) => {
    const module = core.config.plugins[name]?.module
    if (module === undefined) return { name, path: `${own}${name}${sep}` }
    return { name, path: /^[./]/.test(module) ? resolve(folder, module) : `${sep}node_modules${sep}${module}${sep}` }
  })
  for (const line of stackOf(thrown).split('\n')) {
    const home = homes.find(({ path }) => line.includes(path))
    if (home !== undefined) return home.name
  }
  return undefined
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.stack}\n` : ''
}
