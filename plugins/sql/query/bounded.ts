// Whether a query has no more rows than the table it reads.
import type { Tree } from '../grammar/parser.ts'
import { asNode, asObjectName, isEmpty } from '../grammar/tree.ts'
import { tableOf } from './newest.ts'

/** One SELECT of one table that stands alone in its FROM, without what makes several rows of one. */
export function isBounded(tree: Tree): boolean {
  const query = asNode(asNode(tree)?.['Query'])
  const select = asNode(asNode(query?.['body'])?.['Select'])
  if (query === undefined || select === undefined || !isEmpty(query['with'])) return false
  return tableOf(select).length > 0 && !multiplies(query)
}

/** Functions that make several rows of one. */
const multiplying = ['unnest', 'unlist', 'flatten', 'generate_subscripts', 'regexp_split_to_table']
const multiplyingGroups = /rollup|cube|groupingsets/i

function multiplies(tree: Tree | undefined): boolean {
  if (Array.isArray(tree)) return tree.some(multiplies)
  const node = asNode(tree)
  if (node === undefined) return typeof tree === 'string' && multiplyingGroups.test(tree)
  const called = asObjectName(asNode(node['Function'])?.['name'])?.at(-1)
  if (called !== undefined && multiplying.includes(called.value.toLowerCase())) return true
  return Object.entries(node).some(([key, value]) => multiplyingGroups.test(key) || multiplies(value))
}
