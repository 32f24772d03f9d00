// Paths given from outside a program, written as in one.
import type { Segment } from './ast.ts'
import { parse } from './parser.ts'

/** The segments of `.a."b c"[0]`, of `%a`, or of `a.b` without the dot before; undefined when it is not a path. */
export function parsePath(text: string): readonly Segment[] | undefined {
  const { body, errors } = parse(/^[.%]/.test(text) ? text : `.${text}`)
  const [expr] = body
  if (errors.length > 0 || body.length !== 1 || expr?.type !== 'query' || typeof expr.root !== 'string')
    return undefined
  return expr.path
}
