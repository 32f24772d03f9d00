// Pins data files while queries read them: a removed file is deleted from disk when its last reader is gone.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sidecarsOf } from '../index/sidecar.ts'

export class FilePins {
  readonly #dataDir: string
  readonly #readers = new Map<string, number>()
  readonly #doomed = new Set<string>()
  readonly #onGone: (path: string) => void

  /** `onGone` is called for every deleted file. */
  constructor(dataDir: string, onGone: (path: string) => void = () => {}) {
    this.#dataDir = dataDir
    this.#onGone = onGone
  }

  pin(paths: readonly string[]): void {
    for (const path of paths) this.#readers.set(path, (this.#readers.get(path) ?? 0) + 1)
  }

  unpin(paths: readonly string[]): void {
    for (const path of paths) {
      const left = this.#readers.get(path)! - 1
      if (left > 0) this.#readers.set(path, left)
      else {
        this.#readers.delete(path)
        if (this.#doomed.delete(path)) void this.#unlink(path)
      }
    }
  }

  /** Deletes files that the catalog no longer has, once they are unpinned. */
  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (this.#readers.has(path)) this.#doomed.add(path)
      else await this.#unlink(path)
    }
  }

  /** A file that cannot be deleted now is cleared away at the next start. */
  async #unlink(path: string): Promise<void> {
    this.#onGone(path)
    for (const name of [path, ...sidecarsOf(path)]) await rm(join(this.#dataDir, name), { force: true }).catch(() => {})
  }
}
