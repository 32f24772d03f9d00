// Constants leave the text of a statement: each is a parameter of it.
import type { SqlValue } from '../../../core/index.ts'

export class Parameters {
  readonly values: SqlValue[] = []

  /** What stands for the value in SQL. */
  add(value: SqlValue): string {
    return `$${this.values.push(value)}`
  }
}
