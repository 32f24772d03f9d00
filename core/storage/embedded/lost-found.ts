// lost+found keeps files for a while instead of deleting them: unknown ones, and those a repair replaced.
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Logger } from '../../log/log.ts'
import { syncFolder } from './log/wal.ts'
import { sizeOf } from './open.ts'

export function lostFoundFolder(home: string): string {
  return join(home, 'lost+found')
}

/** A new folder for files moved now, named by the time; it is not created yet. */
export function lostFolderOf(home: string, now = new Date()): string {
  return join(lostFoundFolder(home), now.toISOString().replace(/\D/g, '').slice(0, 14))
}

/** Moves a file to `lostFolder`, under its path relative to `home`, unless there is one already. False if the file does not exist. */
export async function moveToLost(path: string, original: string, lostFolder: string): Promise<boolean> {
  if ((await sizeOf(path)) === undefined) return false
  let target = join(lostFolder, original)
  for (let i = 1; (await sizeOf(target)) !== undefined; i++) target = join(lostFolder, `${original}~${i}`)
  await mkdir(dirname(target), { recursive: true })
  try {
    await rename(path, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // The log may be on another disk than the data.
    await copyDurably(path, target)
    await rm(path)
  }
  await syncFolder(dirname(target))
  return true
}

/** Copies a file; the copy is on disk when it resolves. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  const file = await open(to, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes files that were moved there more than `ttl` milliseconds before `now`. */
export async function removeOldLost(home: string, ttl: number, log: Logger, now = Date.now()): Promise<void> {
  const limit = lostFolderOf(home, new Date(Math.max(0, now - ttl)))
  for (const name of await readdir(lostFoundFolder(home)).catch(() => [])) {
    const path = join(lostFoundFolder(home), name)
    if (!/^\d{14}$/.test(name) || path >= limit) continue
    await rm(path, { recursive: true, force: true })
    log.info({ folder: relative(home, path) }, 'removed files that were in lost+found for storage.lost_found_ttl')
  }
}
