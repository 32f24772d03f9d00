// Notices that a file may have changed, however it was replaced.
import { watch } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { after, every, type Timer } from '../timer.ts'

/** Milliseconds a file has to be quiet before it is looked at; and between two looks where the system reports no changes. */
const debounce = 50
const recheck = 10_000

/**
 * Calls `look` some time after something changed in the file's folder, and regularly; it finds out itself whether the file did.
 * `failed` is told when the system cannot report changes, so that only the regular look is left. Returns what ends the watch; it keeps no
 * process alive.
 */
export function watchFile(file: string, look: () => void, failed: (error: Error) => void): () => void {
  let pending: Timer | undefined
  // The folder is watched, not the file: an editor or an atomic rename puts another file in its place.
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
