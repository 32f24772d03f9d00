// What a query's result does not show: warnings and infos, each with the place in the text it is about.
import type { Expr } from '../language/ast.ts'
import { position } from '../language/error.ts'
import { quote } from '../language/literal.ts'

/** Collects each text once. */
export class Annotations {
  readonly #text: string
  readonly #warnings = new Set<string>()
  readonly #infos = new Set<string>()

  constructor(text: string) {
    this.#text = text
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  get infos(): readonly string[] {
    return [...this.#infos]
  }

  /** `about` names the metric, where one is to blame. */
  warn(where: Expr, message: string, about?: string): void {
    this.#warnings.add(`PromQL warning: ${this.#complete(where, message, about)}`)
  }

  info(where: Expr, message: string, about?: string): void {
    this.#infos.add(`PromQL info: ${this.#complete(where, message, about)}`)
  }

  /** A warning about the query as a whole. */
  note(message: string): void {
    this.#warnings.add(message)
  }

  #complete(where: Expr, message: string, about: string | undefined): string {
    return `${message}${about === undefined ? '' : ` ${quote(about)}`} (${position(this.#text, where.start)})`
  }
}

/** A text that ends with a metric's name in quotes, or without it where there is none. */
export function forMetric(message: string, name: string): readonly [string, string?] {
  return name === '' ? [message] : [`${message} for metric name`, name]
}
