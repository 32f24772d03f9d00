// Questions of the binder about the tokens of a statement.
import { planError } from '../error.ts'
import { isRename, type Tree } from '../grammar/parser.ts'
import { nameOf } from '../statement/cursor.ts'
import { type Canonical, label } from '../text/canonical.ts'
import { errorAt, isToken, locationOf, type Token } from '../text/token.ts'
import { type Extent, extentOf, itemExtents } from './extent.ts'
import { unknownField } from './failure.ts'
import type { Source } from './scope.ts'
import { isSessionWord } from './session-function.ts'

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

/** Words that are values. */
const constants = ['true', 'false', 'null']

/** `table` gives the table, view … that has a name, by the tokens of its parts, and throws DbError where there is none. */
export function bindContext(
  sql: string,
  statement: Canonical,
  written: readonly Token[],
  table: (name: readonly number[], aliased: boolean) => Source
) {
  const { tokens } = statement
  const asWritten = writtenTokens(tokens, written)
  const tokenMap = { tokens, queries: new Map() }
  const isCallAt = (at: number) => isSessionWord(tokens[at]!)
  let renamed: ReadonlySet<number> | undefined
  return {
    table,
    /** The name a token spells. */
    nameAt: (at: number) => nameOf(tokens[at]!).text,
    /** The value of the literal at a token; undefined where it is not a whole number. */
    integerAt: (at: number) => {
      const token = tokens[at]!
      // Longer ones are no times, and take long to read.
      return token.kind === 'number' && /^[\d_]{1,64}$/.test(token.value)
        ? BigInt(token.value.replaceAll('_', ''))
        : undefined
    },
    /** The characters of the string at a token; undefined if it is no string. */
    stringAt: (at: number) => (tokens[at]?.kind === 'string' ? tokens[at].value : undefined),
    /** ` at line 1, column 8`: location of a text that stands instead of a table; the tree has none. */
    tableText: () => {
      const isTable = (at: number) => ['from', 'join'].some(word => isToken(tokens[at - 1], word))
      const text = tokens.find(({ kind }, at) => kind === 'string' && isTable(at))
      return text === undefined ? '' : locationOf(sql, text.start)
    },
    /** The error for a name that means no column, where these are all there are. */
    noField: (at: number, valid: readonly string[]) => {
      const said = unknownField(nameOf(tokens[at]!).text, locationOf(sql, tokens[at]!.start), valid)
      return planError(said)
    },
    /** The error for a text instead of a column's name. */
    noAlias: (at: number) =>
      errorAt(sql, tokens[at]!.start, 'a text is not a column name: write AS before it, or double quotes around it'),
    isParameterAt: (at: number) => tokens[at]?.parameter !== undefined,
    isTokenAt: (at: number, text: string) => isToken(tokens[at], text),
    /** Where an expression stands, as far as that is known. */
    extent: (tree: Tree) => extentOf(tree, tokenMap),
    /** Where the items of the select list behind a token stand. */
    items: (select: number, items: readonly Tree[]) => itemExtents(select, items, tokenMap),
    /** How a person would name the expression of these tokens. */
    label: (extent: Extent) => label(asWritten(extent)),
    /** Whether a token is a word that the engine takes for a call, or is replaced. */
    isCallAt,
    /** Whether it is a word that the engine may take for the name of a column. */
    isWordAt: (at: number) =>
      tokens[at]?.kind === 'word' && !isCallAt(at) && !constants.some(word => isToken(tokens[at], word)),
    /** Whether a token is a new name in a star's RENAME. */
    isRenameAt: (at: number) => {
      renamed ??= renames(tokens)
      return renamed.has(at)
    }
  }
}

/** The tokens in the lists of stars' RENAME. */
function renames(tokens: readonly Token[]): ReadonlySet<number> {
  const found = new Set<number>()
  /** Of each open bracket, whether it is such a list. */
  const brackets: boolean[] = []
  for (const [i, token] of tokens.entries()) {
    if (isToken(token, '(')) brackets.push(isRename(tokens, i - 1))
    else if (isToken(token, ')')) brackets.pop()
    else if (brackets.at(-1) === true) found.add(i)
  }
  return found
}
