// A limit, and the configuration key that sets it.

/** A maximum; `key` is the configuration key that sets it, for error messages. */
export interface Limit {
  readonly max: number
  readonly key: string
}
