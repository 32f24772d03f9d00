// Watches a file for changes, however it is replaced.
import { watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { after, every, type Timer } from '../timer.ts'

/** Milliseconds of quiet before a changed file is read, and between two checks where the system reports no changes. */
const debounce = 50
const recheck = 10_000

/**
 * Calls `look` shortly after something changed in the file's folder, and regularly; `look` must find out whether the file itself changed.
 * Calls `failed` if the system cannot report changes. Returns a function that ends the watch. It does not keep the process alive.
 */
export function watchFile(file: string, look: () => void, failed: (error: Error) => void): () => void {
  let pending: Timer | undefined
  // Watches the folder, because editors replace a file by another one.
  const unwatch = watchFolder(dirname(resolve(file)), failed, () => {
    pending?.stop()
    pending = after(debounce, look).unref()
  })
  const timer = every(recheck, look).unref()
  return () => {
    unwatch()
    pending?.stop()
    timer.stop()
  }
}

function watchFolder(folder: string, failed: (error: Error) => void, changed: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, changed).on('error', failed)
    return () => watcher.close()
  } catch (error) {
    failed(error as Error)
    return () => {}
  }
}
