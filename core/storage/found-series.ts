// The series of a write as the driver knows them, key by key.
import type { SeriesKeys } from '../model/series.ts'
import type { SeriesNumbers } from './engine.ts'
import type { KeySalt } from './key-index.ts'

/** The result of `find`, valid while `isCurrent` is true. */
export class FoundSeries implements SeriesNumbers {
  readonly keys: SeriesKeys
  readonly scope: string
  readonly epoch: object
  readonly salt: KeySalt | undefined
  readonly targets: Uint32Array
  /** For each key: its series number, or the driver's number of its entry. */
  readonly tsids: Uint32Array
  unknown: readonly number[] = []

  constructor(keys: SeriesKeys, scope: string, epoch: object, salt: KeySalt | undefined) {
    this.keys = keys
    this.scope = scope
    this.epoch = epoch
    this.salt = salt
    this.targets = new Uint32Array(keys.count)
    this.tsids = new Uint32Array(keys.count)
  }
}
