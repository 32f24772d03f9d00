// Operator precedence parsing: operators and operands on a stack.
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

/** Unary signs bind like multiplication. */
const signPrecedence = 5

export function isOperator(word: string): boolean {
  return precedences[word] !== undefined
}

/** Takes operands, operators and signs in the order of the text; any number of them. */
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
    // Powers are right associative, all other operators left associative.
    this.#reduce(operator.op === '^' ? own + 1 : own)
    this.#waiting.push(operator)
  }

  finish(): Expr {
    this.#reduce(0)
    return this.#operands[0]!
  }

  /** Applies operators on the stack that bind at least as tightly as `min`. */
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
