// What statements that differ in their literals only have in common: the tree of one is that of all, so it is made once.
import { type Canonical, canonical } from '../text/canonical.ts'
import type { Token } from '../text/token.ts'
import type { Tree } from './parser.ts'

/** A tree, and the text its places are of: token for token that of the statement, with the same literal for all of a kind. */
export interface Shaped {
  readonly tree: Tree
  readonly text: Canonical
}

/** Nothing the grammar decides depends on what a literal says. */
export function shapeOf({ tokens }: Canonical): Canonical {
  return canonical(tokens.map(blank))
}

function blank(token: Token): Token {
  if (token.kind === 'number') return { ...token, value: '0' }
  return token.kind === 'string' || token.kind === 'bytes' ? { ...token, value: '' } : token
}

export interface Trees {
  get(text: string): Tree | undefined
  set(text: string, tree: Tree): void
}

/** Characters of one text, and of all whose trees are kept: a tree takes some sixty bytes for each. */
const longest = 4_000
const kept = 200_000

/** Trees by the text of their shape; those that were not asked for the longest time go first. */
export function createTrees(): Trees {
  const trees = new Map<string, Tree>()
  let length = 0
  return {
    get(text) {
      const tree = trees.get(text)
      if (tree === undefined) return undefined
      trees.delete(text)
      trees.set(text, tree)
      return tree
    },
    set(text, tree) {
      if (text.length > longest || trees.has(text)) return
      trees.set(text, tree)
      length += text.length
      for (const [oldest] of trees) {
        if (length <= kept) break
        trees.delete(oldest)
        length -= oldest.length
      }
    }
  }
}
