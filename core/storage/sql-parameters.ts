// Collects the constants of a generated statement as parameters, so that the statement's text holds none.
import type { SqlValue } from './engine.ts'

/** Collects `SqlQuery.parameters`. */
export class SqlParameters {
  readonly values: SqlValue[] = []

  /** Adds a value and returns its placeholder, `$1` and so on. */
  add(value: SqlValue): string {
    return `$${this.values.push(value)}`
  }
}
