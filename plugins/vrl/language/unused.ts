// Warnings for code without effect: unused values and variables.
import type { Expr } from './ast.ts'
import type { Diagnostic, Span } from './diagnostic.ts'
import type { Scope } from './scope.ts'

const effectless = new Set(['literal', 'regex', 'time', 'array', 'object', 'variable', 'query', 'not', 'operator'])

/** E900 for statements whose value is dropped and that do nothing else. */
export function warnUnusedValues(scope: Scope, body: readonly Expr[]): void {
  for (const expr of body.slice(0, -1))
    if (!hasEffect(expr))
      warn(scope, `unused ${expr.type}`, expr.span, 'use the result of this expression or remove it')
}

/** E900 for variables that are only assigned; names that begin with `_` are exempt. */
export function warnUnusedVariables(scope: Scope): void {
  for (const [name, span] of scope.assigned)
    if (!scope.used.has(name) && !name.startsWith('_'))
      warn(scope, `unused variable \`${name}\``, span, 'use it or remove it')
}

function warn(scope: Scope, title: string, span: Span, label: string): void {
  const diagnostic: Diagnostic = { code: 900, severity: 'warning', title, span, label, notes: [] }
  scope.diagnostics.push(diagnostic)
}

/** Calls, assignments and expressions with blocks may have side effects. */
function hasEffect(expr: Expr): boolean {
  if (!effectless.has(expr.type)) return true
  switch (expr.type) {
    case 'array':
      return expr.items.some(hasEffect)
    case 'object':
      return expr.entries.some(([, value]) => hasEffect(value))
    case 'not':
      return hasEffect(expr.value)
    case 'operator':
      return hasEffect(expr.left) || hasEffect(expr.right)
    case 'query':
      return typeof expr.root !== 'string' && hasEffect(expr.root)
    default:
      return false
  }
}
