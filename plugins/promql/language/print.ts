// Prints a syntax tree with canonical spaces and names.

import { formatFloat } from '../engine/number.ts'
import type { Binary, Duration, DurationExpr, Expr, Matcher, Matching, Shift, VectorSelector } from './ast.ts'
import { formatDuration, quote } from './literal.ts'

export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return formatFloat(expr.value)
    case 'string':
      return quote(expr.value)
    case 'selector':
      return `${printSelector(expr)}${printBoundary(expr)}${printShift(expr)}`
    case 'matrix':
      return `${printSelector(expr.selector)}[${printDuration(expr.range)}]${printBoundary(expr.selector)}${printShift(expr.selector)}`
    case 'subquery': {
      const step = expr.step === undefined ? '' : printDuration(expr.step)
      return `${printExpr(expr.expr)}[${printDuration(expr.range)}:${step}]${printShift(expr)}`
    }
    case 'paren':
      return `(${printExpr(expr.expr)})`
    case 'unary':
      return `${expr.op}${printExpr(expr.expr)}`
    case 'call':
      return `${expr.name}(${expr.args.map(printExpr).join(', ')})`
    case 'aggregation': {
      const args = [...(expr.param ? [expr.param] : []), expr.expr].map(printExpr).join(', ')
      if (!expr.without && expr.grouping.length === 0) return `${expr.op}(${args})`
      return `${expr.op} ${expr.without ? 'without' : 'by'} (${printLabels(expr.grouping)}) (${args})`
    }
    case 'binary':
      return printBinary(expr)
  }
}

function printBinary({ op, left, right, bool, matching }: Binary): string {
  return `${printExpr(left)} ${op}${bool ? ' bool' : ''}${printMatching(matching)} ${printExpr(right)}`
}

function printMatching({ card, on, labels, include, fill }: Matching): string {
  const grouped = card === 'many-to-one' || card === 'one-to-many'
  let text = ''
  if (on || labels.length > 0 || grouped) text += ` ${on ? 'on' : 'ignoring'} (${printLabels(labels)})`
  if (grouped) text += ` ${card === 'many-to-one' ? 'group_left' : 'group_right'} (${printLabels(include)})`
  if (fill.left !== undefined && fill.left === fill.right) return `${text} fill (${formatFloat(fill.left)})`
  if (fill.left !== undefined) text += ` fill_left (${formatFloat(fill.left)})`
  if (fill.right !== undefined) text += ` fill_right (${formatFloat(fill.right)})`
  return text
}

function printSelector({ name, matchers }: VectorSelector): string {
  const shown = name === undefined ? matchers : matchers.slice(1)
  const braces = shown.map(printMatcher).join(', ')
  if (name === undefined) return `{${braces}}`
  return braces === '' ? name : `${name}{${braces}}`
}

function printMatcher({ name, op, value }: Matcher): string {
  if (name === '__name__' && op === '=') return quote(value)
  return `${printLabel(name)}${op}${quote(value)}`
}

function printLabels(labels: readonly string[]): string {
  return labels.map(printLabel).join(', ')
}

function printLabel(label: string): string {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) ? label : quote(label)
}

function printBoundary({ boundary }: VectorSelector): string {
  return boundary === undefined ? '' : ` ${boundary}`
}

function printShift({ at, offset }: Shift): string {
  const moment = typeof at === 'number' ? (at / 1_000).toFixed(3) : at === undefined ? '' : `${at}()`
  const shift = offset === 0 ? '' : ` offset ${printDuration(offset)}`
  return `${moment === '' ? '' : ` @ ${moment}`}${shift}`
}

function printDuration(duration: Duration): string {
  return typeof duration === 'number' ? formatDuration(duration) : printDurationExpr(duration)
}

function printDurationExpr(expr: DurationExpr): string {
  if (expr.kind === 'seconds') return formatDuration(Math.round(expr.value * 1_000))
  if (expr.kind === 'negative') return `-${printDurationExpr(expr.operand)}`
  if (!('left' in expr)) return `${expr.kind}()`
  const [left, right] = [printDurationExpr(expr.left), printDurationExpr(expr.right)]
  if (expr.kind === 'min_of' || expr.kind === 'max_of') return `${expr.kind}(${left}, ${right})`
  return `(${left} ${expr.kind} ${right})`
}
