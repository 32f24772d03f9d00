// Operators and operands that wait for each other: how tight each binds, and what they make.
import type { Binary, Expr, Matching } from './ast.ts'

interface Operator {
  readonly op: string
  readonly bool: boolean
  readonly matching: Matching
}

interface Sign {
  readonly sign: '+' | '-'
  readonly start: number
}

const precedences: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '</': 3,
  '>/': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6
}

/** A sign binds as a multiplication does. */
const signPrecedence = 5

export function isOperator(word: string): boolean {
  return precedences[word] !== undefined
}

/** Takes operands, and the operators and signs between them, in the order of the text; any number of them. */
export class Operands {
  readonly #operands: Expr[] = []
  readonly #waiting: (Operator | Sign)[] = []

  sign(sign: '+' | '-', start: number): void {
    this.#waiting.push({ sign, start })
  }

  operand(expr: Expr): void {
    this.#operands.push(expr)
  }

  operator(operator: Operator): void {
    const own = precedences[operator.op]!
    // Powers bind to the right, everything else to the left.
    this.#reduce(operator.op === '^' ? own + 1 : own)
    this.#waiting.push(operator)
  }

  finish(): Expr {
    this.#reduce(0)
    return this.#operands[0]!
  }

  /** Applies the waiting operators that bind at least as tightly as `least`. */
  #reduce(least: number): void {
    for (let last = this.#waiting.at(-1); last !== undefined; last = this.#waiting.at(-1)) {
      if (('sign' in last ? signPrecedence : precedences[last.op]!) < least) return
      this.#waiting.pop()
      const right = this.#operands.pop()!
      if ('sign' in last) this.#operands.push(signed(last, right))
      else this.#operands.push(binary(last, this.#operands.pop()!, right))
    }
  }
}

function signed({ sign, start }: Sign, expr: Expr): Expr {
  if (expr.kind === 'number') return { ...expr, value: sign === '-' ? -expr.value : expr.value, start }
  return { kind: 'unary', op: sign, expr, start, end: expr.end }
}

function binary(operator: Operator, left: Expr, right: Expr): Binary {
  return { kind: 'binary', ...operator, left, right, start: left.start, end: right.end }
}
