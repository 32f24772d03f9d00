// A credential file that is read again when it changes.
import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Logger } from '../log/log.ts'
import type { UserProvider } from './provider.ts'
import { createTableProvider } from './static.ts'
import { parseUserFile } from './users.ts'

/** Time a file has to be quiet before it is read; and after which it is looked at where the system reports no changes. */
const settle = 50
const recheck = 10_000

/** Throws when the file cannot be read or holds no user; later an unusable file is logged and the users stay. */
export async function createWatchedProvider(file: string, log: Logger): Promise<UserProvider> {
  const path = resolve(file)
  const warn = (message: string) => log.warn({ file: path }, message)
  let text = await readFile(path, 'utf8')
  let users = parseUserFile(text, warn)
  let refused: string | undefined

  const reload = async () => {
    try {
      const now = await readFile(path, 'utf8')
      if (now === text || now === refused) return
      refused = now
      users = parseUserFile(now, warn)
      text = now
      refused = undefined
      log.info({ file: path, users: users.size }, 'users reloaded')
    } catch (error) {
      const reason = (error as Error).message
      if (refused !== reason) log.error({ file: path, reason }, 'the users stay as they were: the file cannot be used')
      if ((error as NodeJS.ErrnoException).code !== undefined) refused = reason
    }
  }

  // The folder is watched, not the file: an editor or an atomic rename puts another file in its place.
  let pending: NodeJS.Timeout | undefined
  const unwatch = watchFolder(dirname(path), log, () => {
    clearTimeout(pending)
    pending = setTimeout(reload, settle).unref()
  })
  const timer = setInterval(reload, recheck).unref()
  return createTableProvider(
    'watch_file_user_provider',
    () => users,
    () => {
      unwatch()
      clearTimeout(pending)
      clearInterval(timer)
    }
  )
}

/** Where the system cannot report changes, the regular check has to do. Returns what ends the watch. */
function watchFolder(folder: string, log: Logger, changed: () => void): () => void {
  const warn = (error: Error) => log.warn({ folder, reason: error.message }, 'the folder of the users is not watched')
  try {
    const watcher = watch(folder, { persistent: false }, changed).on('error', warn)
    return () => watcher.close()
  } catch (error) {
    warn(error as Error)
    return () => {}
  }
}
