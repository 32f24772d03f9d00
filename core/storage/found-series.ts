// What a driver knows of the series that a write is about, key by key.
import type { SeriesKeys } from '../model/series.ts'
import type { SeriesNumbers } from './engine.ts'
import type { KeySalt } from './key-index.ts'

/** What `find` gave out: valid as long as `isCurrent` says so. */
export class FoundSeries implements SeriesNumbers {
  readonly keys: SeriesKeys
  readonly scope: string
  readonly epoch: object
  readonly salt: KeySalt | undefined
  readonly targets: Uint32Array
  /** Of each key: the number of its series, or of what the driver keeps of it. */
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
