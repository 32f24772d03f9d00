// Users from a credential file, which is read again on request and when it changes.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { watchFile } from '../config/watch.ts'
import type { Logger } from '../log/log.ts'
import type { UserProvider } from './provider.ts'
import { createTableProvider } from './static.ts'
import { parseUserFile } from './users.ts'

interface FileOptions {
  readonly name: string
  /** Whether to watch the file for changes. */
  readonly watch: boolean
}

/** Throws if the file cannot be read or has no user. Later, an unusable file is logged and the known users stay. */
export async function createFileProvider(file: string, log: Logger, options: FileOptions): Promise<UserProvider> {
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
  const failed = (error: Error) => warn(`the folder of the users is not watched: ${error.message}`)
  const unwatch = options.watch ? watchFile(path, () => void reload(), failed) : () => {}
  return { ...createTableProvider(options.name, () => users, unwatch), reload }
}
