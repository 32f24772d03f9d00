// Failures of a running program. They are no Errors: they are thrown per item, and capturing a stack would cost more than the item.

/** Thrown by an expression that fails; `err` variables receive the message. */
export class Failure {
  message: string
  /** If set, the program cannot handle it: an abort, or an exceeded limit. */
  readonly final: 'abort' | 'limit' | undefined
  constructor(message: string, final?: 'abort' | 'limit') {
    this.message = message
    this.final = final
  }
}

/** Thrown by `return`. */
export class Return<T> {
  readonly value: T
  constructor(value: T) {
    this.value = value
  }
}
