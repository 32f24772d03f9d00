// Where an expression of the tree begins and ends: the tree has positions of names, constants and some words only.
import type { Tree } from '../grammar/parser.ts'
import { asIdent, asList, asNode, asObjectName, isQuery, type TreeNode, tokenOf, variant } from '../grammar/tree.ts'
import { callEnd, closing, selectItems } from '../text/brackets.ts'
import { isToken, type Token } from '../text/token.ts'

/** First and last token. */
export type Extent = readonly [first: number, last: number]

interface TokenMap {
  readonly tokens: readonly Token[]
  /** The first and the last token known of each query so far: those that hold others are looked at again and again. */
  readonly queries: Map<TreeNode, Extent | undefined>
}

/** Undefined for kinds of expressions that are neither texts nor times. */
export function extentOf(tree: Tree | undefined, tokenMap: TokenMap): Extent | undefined {
  const { tokens } = tokenMap
  const [kind, value] = variant(tree) ?? ['', null]
  const parts = asNode(value)
  const part = (name: string) => extentOf(parts?.[name], tokenMap)
  switch (kind) {
    case 'Identifier':
    case 'CompoundIdentifier': {
      const idents = kind === 'Identifier' ? [asIdent(value)] : asList(value).map(asIdent)
      const [first, last] = [idents[0], idents.at(-1)]
      return first && last && [first.at, last.at]
    }
    case 'Value':
      return edges(value, tokenMap)
    case 'Nested': {
      const inner = extentOf(value, tokenMap)
      return inner && isToken(tokens[inner[0] - 1], '(') && isToken(tokens[inner[1] + 1], ')')
        ? [inner[0] - 1, inner[1] + 1]
        : inner
    }
    case 'Subquery':
      return enclosing(edges(value, tokenMap), '(', tokens)
    case 'BinaryOp':
      return joined(part('left'), part('right'))
    case 'AtTimeZone':
      return joined(part('timestamp'), part('time_zone'))
    case 'Collate':
      return joined(part('expr'), edges(parts?.['collation'], tokenMap))
    case 'Case':
      return joined(edges(parts?.['case_token'], tokenMap), edges(parts?.['end_token'], tokenMap))
    case 'Cast': {
      if (parts?.['kind'] === 'DoubleColon') {
        const operand = part('expr')
        return operand && [operand[0], typeEnd(tokens, operand[1] + 3)]
      }
      return called(enclosing(part('expr') ?? edges(value, tokenMap), '(', tokens))
    }
    case 'Array': {
      const [first] = asList(parts?.['elem'])
      const brackets = enclosing(extentOf(first, tokenMap) ?? edges(value, tokenMap), '[', tokens)
      return brackets && [isToken(tokens[brackets[0] - 1], 'array') ? brackets[0] - 1 : brackets[0], brackets[1]]
    }
    case 'Trim':
    case 'Substring':
    case 'Overlay':
      return called(enclosing(part('expr') ?? edges(value, tokenMap), '(', tokens))
    case 'TypedString': {
      const constant = edges(parts?.['value'], tokenMap)
      if (constant === undefined) return undefined
      const [at] = constant
      return [isToken(tokens[at - 1], 'zone') ? at - 4 : at - 1, at]
    }
    case 'CompoundFieldAccess': {
      const root = part('root')
      return root && [root[0], accessEnd(tokens, root[1])]
    }
    case 'Function': {
      const name = asObjectName(parts?.['name'])
      const [first, last] = [name?.[0], name?.at(-1)]
      return first && last && [first.at, callEnd(tokens, last.at)]
    }
  }
  return undefined
}

/** The items of the select list behind a token; undefined for what is not found. */
export function itemExtents(
  select: number,
  items: readonly Tree[],
  tokenMap: TokenMap
): readonly (Extent | undefined)[] {
  return selectItems(tokenMap.tokens, select, items.length, item => edges(items[item], tokenMap)?.[1] ?? 0)
}

function joined(left: Extent | undefined, right: Extent | undefined): Extent | undefined {
  return left && right && [left[0], right[1]]
}

/** With the word before the parentheses. */
function called(brackets: Extent | undefined): Extent | undefined {
  return brackets && [brackets[0] - 1, brackets[1]]
}

/** The first and the last token of a part of the tree whose positions are known. */
function edges(tree: Tree | undefined, tokenMap: TokenMap): Extent | undefined {
  if (typeof tree !== 'object' || tree === null) return undefined
  const node = asNode(tree)
  if (node === undefined || !isQuery(node)) return innerEdges(tree, tokenMap)
  if (!tokenMap.queries.has(node)) tokenMap.queries.set(node, innerEdges(node, tokenMap))
  return tokenMap.queries.get(node)
}

function innerEdges(tree: TreeNode | readonly Tree[], tokenMap: TokenMap): Extent | undefined {
  const at = tokenOf(asNode(tree as Tree))
  let found: Extent | undefined = at === undefined ? undefined : [at, at]
  for (const value of Object.values(tree)) {
    const inner = edges(value as Tree, tokenMap)
    if (inner !== undefined)
      found = found === undefined ? inner : [Math.min(found[0], inner[0]), Math.max(found[1], inner[1])]
  }
  return found
}

/** The innermost brackets around a part of the statement. */
function enclosing(inner: Extent | undefined, bracket: string, tokens: readonly Token[]): Extent | undefined {
  if (inner === undefined) return undefined
  for (let at = inner[0] - 1; at >= 0; at--) {
    if (!isToken(tokens[at], bracket)) continue
    const end = closing(tokens, at)
    if (end !== undefined && end > inner[1]) return [at, end]
  }
  return undefined
}

/** Where the subscripts and members end that stand behind a token. */
function accessEnd(tokens: readonly Token[], last: number): number {
  let at = last
  for (;;) {
    if (isToken(tokens[at + 1], '[')) at = closing(tokens, at + 1) ?? at + 1
    else if (isToken(tokens[at + 1], '.')) at += 2
    else return at
  }
}

const typeSuffixes: Readonly<Record<string, readonly string[]>> = {
  timestamp: ['with', 'time', 'zone'],
  character: ['varying'],
  double: ['precision']
}

/** The last token of a type that begins at one. */
function typeEnd(tokens: readonly Token[], first: number): number {
  const word = tokens[first]?.value.toLowerCase() ?? ''
  const more = Object.hasOwn(typeSuffixes, word) ? typeSuffixes[word]! : []
  let at = more.every((word, i) => isToken(tokens[first + 1 + i], word)) ? first + more.length : first
  if (isToken(tokens[at + 1], '(')) at = closing(tokens, at + 1) ?? at
  return accessEnd(tokens, at)
}
