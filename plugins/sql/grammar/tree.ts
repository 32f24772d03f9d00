// Reading the grammar's tree without trusting its shape.
import type { Tree } from './parser.ts'

export type TreeNode = { readonly [key: string]: Tree }

/** A name in the tree, and the token it is. */
export interface Ident {
  readonly value: string
  readonly quote: string | undefined
  readonly at: number
}

export function asNode(tree: Tree | undefined): TreeNode | undefined {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) ? (tree as TreeNode) : undefined
}

export function asList(tree: Tree | undefined): readonly Tree[] {
  return Array.isArray(tree) ? tree : []
}

/** Whether a clause is absent. */
export function isEmpty(tree: Tree | undefined): boolean {
  return tree === undefined || tree === null || tree === false || (Array.isArray(tree) && tree.length === 0)
}

/** A node with one key as that key and what is below it. */
export function variant(tree: Tree | undefined): readonly [string, Tree] | undefined {
  const node = asNode(tree)
  if (node === undefined) return undefined
  const [key, ...more] = Object.keys(node)
  return key === undefined || more.length > 0 ? undefined : [key, node[key]!]
}

export function asIdent(tree: Tree | undefined): Ident | undefined {
  const node = asNode(tree)
  const { value, quote_style: quote, span: at } = node ?? {}
  if (typeof value !== 'string' || typeof at !== 'number') return undefined
  return { value, quote: typeof quote === 'string' ? quote : undefined, at }
}

/** The first token of a node with a location, as constants and some words have. */
export function tokenOf(node: TreeNode | undefined): number | undefined {
  const at = node?.['span']
  return typeof at === 'number' ? at : undefined
}

/** The parts of a dotted name; undefined when one of them is not a plain name. */
export function asObjectName(tree: Tree | undefined): Ident[] | undefined {
  const parts = asList(tree).map(part => asIdent(asNode(part)?.['Identifier']))
  return parts.length > 0 && parts.every(part => part !== undefined) ? parts : undefined
}

/** A function that is called with nothing but arguments, and these; of what may stand behind it `without` must not either. */
export function asCall(
  tree: Tree | undefined,
  without: readonly string[] = ['over']
): { readonly name: Ident; readonly args: readonly (Tree | undefined)[] } | undefined {
  const node = asNode(asNode(tree)?.['Function'])
  const name = asObjectName(node?.['name'])
  const list = asNode(asNode(node?.['args'])?.['List'])
  if (name?.length !== 1 || !isEmpty(list?.['clauses']) || !isEmpty(list?.['duplicate_treatment'])) return undefined
  if (list === undefined || ['filter', 'within_group', ...without].some(key => !isEmpty(node![key]))) return undefined
  return { name: name[0]!, args: asList(list['args']).map(each => asNode(asNode(each)?.['Unnamed'])?.['Expr']) }
}

/** A query: a body with an optional `WITH` and an order. */
export function isQuery(node: TreeNode): boolean {
  return 'body' in node && 'pipe_operators' in node
}
