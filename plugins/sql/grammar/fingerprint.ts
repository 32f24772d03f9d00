// Statements that differ only in their literals have one fingerprint and share one syntax tree, which is made once.
import { type Canonical, canonical } from '../text/canonical.ts'
import { isToken, type Token } from '../text/token.ts'
import type { Tree } from './parser.ts'

/**
 * The text, token for token that of the statement, with the same literal for all of a kind. Nothing the grammar decides depends on what a
 * literal says; only the precision of a time is part of its type.
 */
export function fingerprint({ tokens }: Canonical): Canonical {
  return canonical(tokens.map((token, i) => (isPrecision(tokens, i) ? token : blank(token))))
}

function isPrecision(tokens: readonly Token[], i: number): boolean {
  return isToken(tokens[i - 1], '(') && isToken(tokens[i - 2], 'timestamp')
}

function blank(token: Token): Token {
  if (token.kind === 'number') return { ...token, value: '0' }
  return token.kind === 'string' || token.kind === 'bytes' ? { ...token, value: '' } : token
}

/** Characters of one text, and of all whose trees are kept: a tree takes some sixty bytes for each. */
const maxLength = 4_000
const kept = 200_000

/** Whether a statement may be short enough for its tree to be kept. */
export function isShared({ tokens }: Canonical): boolean {
  return tokens.length <= maxLength
}

/** Trees by the text of their fingerprint; those that were not asked for the longest time go first. */
export function createTrees() {
  const trees = new Map<string, Tree>()
  let length = 0
  return {
    get(text: string): Tree | undefined {
      const tree = trees.get(text)
      if (tree === undefined) return undefined
      trees.delete(text)
      trees.set(text, tree)
      return tree
    },
    set(text: string, tree: Tree) {
      if (text.length > maxLength || trees.has(text)) return
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
