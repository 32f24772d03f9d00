// How many there may be of something.

/** `key` is the configuration key that sets it, for the error. */
export interface Limit {
  readonly max: number
  readonly key: string
}
