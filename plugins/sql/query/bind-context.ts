// Questions of the binder about the tokens of a statement.
import type { Tree } from '../grammar/parser.ts'
import { type Canonical, label } from '../text/canonical.ts'
import type { Token } from '../text/token.ts'
import { type Extent, extentOf, itemExtents } from './extent.ts'
import type { Source } from './scope.ts'

export type BindContext = ReturnType<typeof bindContext>

/** The tokens the user wrote where a part of the statement stands that may be a translation of them. */
function writtenTokens(tokens: readonly Token[], written: readonly Token[]): (extent: Extent) => readonly Token[] {
  const isSame = tokens.length === written.length && tokens.every(({ start }, i) => start === written[i]!.start)
  let starts: ReadonlyMap<number, number> | undefined
  const indexOf = (token: Token | undefined) => {
    // Numbers are found in less time than objects.
    starts ??= new Map(written.map(({ start }, i) => [start, i]))
    const index = token && starts.get(token.start)
    return index !== undefined && written[index] === token ? index : undefined
  }
  return ([first, last]) => {
    if (isSame) return written.slice(first, last + 1)
    const before = indexOf(tokens[first - 1]) ?? -1
    const behind = last + 1 < tokens.length ? indexOf(tokens[last + 1]) : written.length
    const own = tokens.slice(first, last + 1)
    const isTranslated = own.some((token, i) => written[before + 1 + i] !== token)
    return isTranslated && before >= 0 && behind !== undefined && behind > before + 1
      ? written.slice(before + 1, behind)
      : own
  }
}

/** `table` gives the table, view … that has a name, by the tokens of its parts, and throws DbError where there is none. */
export function bindContext(
  sql: string,
  { tokens }: Canonical,
  written: readonly Token[],
  table: (name: readonly number[], aliased: boolean) => Source
) {
  const asWritten = writtenTokens(tokens, written)
  const tokenMap = { tokens, queries: new Map() }
  return {
    sql,
    tokens,
    table,
    /** Where an expression stands, as far as that is known. */
    extent: (tree: Tree) => extentOf(tree, tokenMap),
    /** Where the items of the select list behind a token stand. */
    items: (select: number, items: readonly Tree[]) => itemExtents(select, items, tokenMap),
    /** How a person would name the expression of these tokens. */
    label: (extent: Extent) => label(asWritten(extent))
  }
}
