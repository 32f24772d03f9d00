// Finds the variables that a part of a program may change.
import type { ClosureExpr } from './ast.ts'

/** Names of the variables that a closure's block assigns to or removes fields from, at any depth. */
export function assignedIn({ body }: ClosureExpr): ReadonlySet<string> {
  const names = new Set<string>()
  visit(body, names)
  return names
}

function visit(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  const { type, name } = node as { type?: unknown; name?: unknown }
  if (type === 'literal') return
  if (type === 'assign') {
    const { target, error } = node as { target: unknown; error: unknown }
    addTarget(target, names)
    addTarget(error, names)
  }
  if (type === 'call' && name === 'del') addTarget((node as { args: { value: unknown }[] }).args[0]?.value, names)
  for (const part of Object.values(node)) visit(part, names)
}

function addTarget(target: unknown, names: Set<string>): void {
  const { type, name, root } = (target ?? {}) as { type?: unknown; name?: string; root?: { name?: string } }
  if (type === 'variable') names.add(name!)
  if (type === 'query' && root?.name !== undefined) names.add(root.name)
}
