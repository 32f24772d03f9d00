// Finds the third-party programs that tests run, on the path or in a folder of newer ones; fails if one is missing.
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'

/** Where a program is: in the folder `WEIR_PEERS_DIR` names, else on the path. */
export function findProgram(name: string): string | undefined {
  const folders = [process.env['WEIR_PEERS_DIR'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)]
  return folders
    .filter(folder => folder !== '')
    .map(folder => join(folder, name))
    .find(isExecutable)
}

/** Options of a test that runs these programs: skipped when one is missing, unless `WEIR_REQUIRE_CLIENTS=1` says that they must be there. */
export function needing(...names: readonly string[]): { readonly skip: string | false } {
  const missing = names.find(name => findProgram(name) === undefined)
  if (missing === undefined) return { skip: false }
  const reason = `${missing} is neither on the path nor in WEIR_PEERS_DIR`
  if (process.env['WEIR_REQUIRE_CLIENTS'] === '1') throw new Error(reason)
  return { skip: reason }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise(resolve => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
