// Constants leave the text of a statement: each is a parameter of it.
import type { SqlValue } from './engine.ts'

/** Collects what `SqlQuery.parameters` takes. */
export class SqlParameters {
  readonly values: SqlValue[] = []

  /** What stands for the value in SQL. */
  add(value: SqlValue): string {
    return `$${this.values.push(value)}`
  }
}
