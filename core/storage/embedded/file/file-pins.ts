// Data files queries are reading: a file that goes is removed from disk when its last reader is gone.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sidecarsOf } from '../index/sidecar.ts'

export class FilePins {
  readonly #dataDir: string
  readonly #readers = new Map<string, number>()
  readonly #doomed = new Set<string>()
  readonly #onGone: (path: string) => void

  /** `onGone` is told of every file that goes. */
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

  /** Removes files no catalog names any more. */
  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (this.#readers.has(path)) this.#doomed.add(path)
      else await this.#unlink(path)
    }
  }

  /** What cannot be removed now is an orphan of the next start. */
  async #unlink(path: string): Promise<void> {
    this.#onGone(path)
    for (const name of [path, ...sidecarsOf(path)]) await rm(join(this.#dataDir, name), { force: true }).catch(() => {})
  }
}
