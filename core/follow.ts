// Reloads the configuration of a running server on SIGHUP and when the file changes.
import { readFileSync } from 'node:fs'
import type { Config } from './config/schema.ts'
import { watchFile } from './config/watch.ts'
import { serialQueue } from './serial.ts'
import type { Running } from './start.ts'

/**
 * Loads the configuration anew and applies it; an invalid one is logged and changes nothing. `load` reads file, environment and flags as at
 * the start. Returns a function that ends it.
 */
export function followConfig({ core, reload }: Running, file: string | undefined, load: () => Config): () => void {
  let text = file === undefined ? '' : contents(file)
  const serially = serialQueue()
  const again = (reason: string) => {
    void serially(async () => {
      try {
        const report = await reload(load)
        core.log.info({ reason, ...report }, 'the configuration was read again')
      } catch (error) {
        core.log.error(
          { reason, error: (error as Error).message },
          'the configuration stays as it was: it cannot be used'
        )
      }
    })
  }
  const look = () => {
    const now = contents(file!)
    if (now === text) return
    text = now
    again('file')
  }
  const hangup = () => {
    if (file !== undefined) text = contents(file)
    again('SIGHUP')
  }
  process.on('SIGHUP', hangup)
  const warn = (error: Error) => core.log.warn({ file, reason: error.message }, 'the configuration file is not watched')
  const unwatch = file === undefined ? () => {} : watchFile(file, look, warn)
  return () => {
    process.off('SIGHUP', hangup)
    unwatch()
  }
}

/** '' if the file does not exist at the moment. */
function contents(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
