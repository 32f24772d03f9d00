// SQL text to a tree and back to text, with the location of each error in the source.
import { DbError, isDbError, ParseError } from '../../../core/index.ts'
import { isNullTreatment } from '../text/brackets.ts'
import type { Canonical } from '../text/canonical.ts'
import { locator, tokenAt } from '../text/locate.ts'
import { errorAt, isPair, isToken, type Token, tokenText } from '../text/token.ts'
import { checkDepth, groupChains } from './depth.ts'
import { createTrees, fingerprint, isShared } from './fingerprint.ts'
import { createGrammar } from './grammar.ts'

/** A node of the tree: objects with one key name their kind; a `span` says where it stands in the text. */
export type Tree = null | string | number | boolean | readonly Tree[] | { readonly [key: string]: Tree }

export interface SqlParser {
  /** The tree of one statement as the grammar makes it. Throws ParseError with the location in `sql`, the source the tokens came from. */
  tree(sql: string, statement: Canonical): Promise<Tree>
  /** The tree that all statements share that differ in their literals only; each `span` is the index of the token it begins with. */
  sharedTree(sql: string, statement: Canonical): Promise<Tree>
  /** One statement on one line with its keywords in upper case; undefined when the grammar does not have it. `tokens` are the text's. */
  format(text: string, tokens: readonly Token[]): Promise<string | undefined>
  close(): Promise<void>
}

export function createParser(): SqlParser {
  const grammar = createGrammar()
  const known = createTrees()
  const read = async (kind: 'parse' | 'bind', sql: string, statement: Canonical) => {
    const { starts } = statement
    const trees = await grammar
      .run({ kind, text: groupChains(readable(statement), statement), ...(kind === 'bind' && { starts }) })
      .catch((error: unknown) => {
        throw isDbError(error) ? error : syntaxError(sql, statement, error)
      })
    if (Array.isArray(trees) && trees.length === 1) return trees[0] as Tree
    throw errorAt(sql, statement.tokens[0]?.start ?? 0, 'expected one statement')
  }
  return {
    tree: (sql, statement) => read('parse', sql, statement),
    async sharedTree(sql, statement) {
      if (!isShared(statement)) return read('bind', sql, statement)
      const blank = fingerprint(statement)
      const made = known.get(blank.text)
      if (made !== undefined) return made
      try {
        const tree = await read('bind', sql, blank)
        known.set(blank.text, tree)
        return tree
      } catch (error) {
        if (!(error instanceof ParseError)) throw error
        // Errors refer to the text as it was written.
        return read('bind', sql, statement)
      }
    },
    async format(text, tokens) {
      checkDepth(tokens)
      try {
        return (await grammar.run({ kind: 'format', text })) as string
      } catch (error) {
        if (isDbError(error)) throw error
        return undefined
      }
    },
    close: () => grammar.close()
  }
}

/** A parser whose thread is already loading; a failure shows with the first statement. */
export function startParser(): SqlParser {
  const parser = createParser()
  parser.format('SELECT 1', []).catch(() => {})
  return parser
}

/**
 * The text as the grammar takes it, every token where it was: without `ASOF` of joins, `[NOT] MATERIALIZED`, `IGNORE NULLS` in calls, the `%` of a LIMIT, `USING SAMPLE`, `TABLESAMPLE` and the `EXCLUDE`
 * of frames, which name nothing; with `LIKE` for `GLOB`, `CROSS JOIN` for `POSITIONAL JOIN`, `* REPLACE(a AS b)` for `* RENAME (a AS b)`, and operators it has for
 * `&&` and `?`.
 */
function readable({ text, tokens, starts }: Canonical): string {
  const parts: string[] = []
  let behind = 0
  const put = (i: number, word: string) => {
    const start = starts[i]!
    parts.push(text.slice(behind, start), word)
    behind = start + word.length
  }
  let unread = -1
  tokens.forEach((token, i) => {
    unread = Math.max(unread, sampleEnd(tokens, i), exclusionEnd(tokens, i))
    if (i <= unread || isBlank(tokens, i)) put(i, ' '.repeat(tokenText(token).length))
    else if (isGlob(tokens, i)) put(i, 'LIKE')
    else if (isPositional(tokens, i)) put(i, 'CROSS'.padEnd(tokenText(token).length))
    else if (isRename(tokens, i) && text[starts[i]! + 6] === ' ') put(i, 'REPLACE')
    else if (isPair(tokens, i, '&', '&')) put(i, '<@')
    else if (isToken(token, '?')) put(i, '|')
  })
  return parts.join('') + text.slice(behind)
}

/** Words that stand before or behind values and are none. */
const between: ReadonlySet<string> = new Set(
  `all and as asc between by case cross desc distinct else end except filter from full group having ilike in inner intersect into is join
   left like limit natural not offset on or order over qualify right select set then union using values when where window with`.split(
    /\s+/
  )
)

/** Whether a value is compared with a pattern here: `glob` may be a name, too. */
function isGlob(tokens: readonly Token[], i: number): boolean {
  if (!isToken(tokens[i], 'glob')) return false
  const [before, next] = [tokens[i - 1], tokens[i + 1]]
  const isAfterValue = endWords.some(word => isToken(before, word)) || isValue(before)
  if (!isToken(next, '(')) return isAfterValue && (isValue(next) || isToken(next, 'case'))
  // `FROM t glob(a, b)` names the columns of a table.
  return isAfterValue && !isToken(before, 'as') && !tableWords.some(word => isToken(tokens[i - 2], word))
}

/** Words and signs a value may end with, and `NOT`. */
const endWords = ['not', ')', ']', 'end']
const tableWords = ['from', 'join']

/** `a POSITIONAL JOIN b`; behind FROM, JOIN or a comma it would be the name of a table. */
function isPositional(tokens: readonly Token[], i: number): boolean {
  const isWord = isToken(tokens[i], 'positional') && isToken(tokens[i + 1], 'join')
  return isWord && !['from', 'join', ',', 'as', '.', '('].some(word => isToken(tokens[i - 1], word))
}

function isValue(token: Token | undefined): boolean {
  if (token === undefined || token.kind === 'symbol') return isToken(token, '$') || isToken(token, '?')
  return token.kind !== 'word' || !between.has(token.value.toLowerCase())
}

/** Whether a star's names are changed here. */
export function isRename(tokens: readonly Token[], i: number): boolean {
  const isStar = isToken(tokens[i - 1], '*') || isToken(tokens[i - 1], ')')
  return isToken(tokens[i], 'rename') && isStar && isToken(tokens[i + 1], '(')
}

/** Whether a token makes a share of the rows of a LIMIT: `LIMIT 50%`, `LIMIT 50 PERCENT`. */
export function isShareOfLimit(tokens: readonly Token[], i: number): boolean {
  const isSign = isToken(tokens[i], '%') || isToken(tokens[i], 'percent')
  const next = tokens[i + 1]
  const isEnd = next === undefined || isToken(next, ')') || isToken(next, 'offset') || isToken(next, 'union')
  return isSign && isEnd && tokens[i - 1]?.kind === 'number' && isToken(tokens[i - 2], 'limit')
}

function isBlank(tokens: readonly Token[], i: number): boolean {
  const token = tokens[i]
  const next = tokens[i + 1]
  if (isShareOfLimit(tokens, i)) return true
  if (isToken(next, ')') && isToken(token, 'nulls')) return isNullTreatment(tokens, i - 1)
  if (isToken(next, 'nulls') && isToken(tokens[i + 2], ')')) return isNullTreatment(tokens, i)
  if (isToken(token, 'asof')) return ['join', 'left', 'right', 'full', 'inner'].some(word => isToken(next, word))
  if (isToken(token, 'materialized')) return isToken(next, '(')
  return isToken(token, 'not') && isToken(next, 'materialized') && isToken(tokens[i + 2], '(')
}

const sampleWords = ['percent', 'rows', 'reservoir', 'bernoulli', 'system', 'repeatable', '%', '(', ')', ',']

/** The last token of the EXCLUDE of a window's frame that begins at one; −1 for others. */
function exclusionEnd(tokens: readonly Token[], i: number): number {
  if (!isToken(tokens[i], 'exclude') || !['row', 'preceding', 'following'].some(word => isToken(tokens[i - 1], word)))
    return -1
  if (['group', 'ties'].some(word => isToken(tokens[i + 1], word))) return i + 1
  return ['current', 'no'].some(word => isToken(tokens[i + 1], word)) ? i + 2 : -1
}

/**
 * The last token of `USING SAMPLE 10%`, `TABLESAMPLE reservoir(50 ROWS) REPEATABLE (1)` that begins at one, numbers and words of its own; −1
 * for others.
 */
function sampleEnd(tokens: readonly Token[], at: number): number {
  const isOfQuery = isToken(tokens[at], 'using') && isToken(tokens[at + 1], 'sample') && !isToken(tokens[at + 2], '(')
  const first = isOfQuery ? at + 2 : isToken(tokens[at], 'tablesample') ? at + 1 : tokens.length
  let depth = 0
  let end = first
  for (; end < tokens.length; end++) {
    const isOwn = tokens[end]!.kind === 'number' || sampleWords.some(word => isToken(tokens[end], word))
    depth += isToken(tokens[end], '(') ? 1 : isToken(tokens[end], ')') ? -1 : 0
    if (!isOwn || depth < 0 || (depth === 0 && isToken(tokens[end], ','))) break
  }
  return end > first || isOfQuery ? end - 1 : -1
}

function syntaxError(sql: string, statement: Canonical, error: unknown): DbError {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^sql parser error: /, '')
  const location = / at Line: (\d+), Column: (\d+)/.exec(text)
  const message = text.replace(location?.[0] ?? '', '')
  if (/recursion limit/i.test(text)) return new DbError('InvalidSyntax', 'the statement is nested too deeply')
  const { tokens } = statement
  const found = / found: (\w+)$/.exec(message)?.[1]
  const located =
    location === null
      ? undefined
      : tokenAt(statement.starts, locator(statement.text)(Number(location[1]), Number(location[2])))
  // Of some words the grammar names the location of what follows them.
  const isBehind = found !== undefined && tokens[located!]?.value !== found && tokens[located! - 1]?.value === found
  const at = isBehind ? located! - 1 : located
  const before = at === undefined ? undefined : tokens[at - 1]
  if (before?.kind === 'number' && tokens[at!]!.kind === 'word' && !tokens[at!]!.spaced) {
    return errorAt(
      sql,
      before.start,
      `${before.value}${tokens[at!]!.value} is not a value: a duration is written INTERVAL '5 minutes'`
    )
  }
  if (isToken(before, ')') && isToken(tokens[at!], '('))
    return errorAt(sql, tokens[at!]!.start, 'a call has its arguments in one pair of parentheses, as quantile(x, 0.5)')
  const other = /, found/.test(message) ? insteadOf(tokens, at ?? tokens.length) : undefined
  if (other !== undefined) return errorAt(sql, tokens[at!]!.start, other)
  const named = at === undefined ? tokens.findLast(({ kind, value }) => kind === 'word' && value === found) : tokens[at]
  const isOperator = named !== undefined && /^No infix parser/.test(message)
  const said = isOperator
    ? `there is no operator ${/^[^\s\w'"(]*/.exec(sql.slice(named.start))![0]}`
    : inOurWords(message)
  return errorAt(sql, named?.start ?? tokens.at(-1)?.end ?? 0, said)
}

/** What to write in the place of clauses of other databases, by the words that they begin with. */
const instead: readonly (readonly [words: string, told: string])[] = [
  ['format', 'the form of results is the parameter `format` of the request'],
  ['prewhere', 'write WHERE in the place of PREWHERE'],
  ['settings', 'a statement has no SETTINGS: limits are in the configuration of the server'],
  ['with totals', 'there is no WITH TOTALS: write GROUP BY GROUPING SETS ((a), ())'],
  ['with rollup', 'there is no WITH ROLLUP: write GROUP BY ROLLUP (a)'],
  ['with cube', 'there is no WITH CUBE: write GROUP BY CUBE (a)']
]

function insteadOf(tokens: readonly Token[], at: number): string | undefined {
  const isLimit =
    isToken(tokens[at], 'by') && tokens.slice(Math.max(0, at - 4), at).some(token => isToken(token, 'limit'))
  if (isLimit) return 'there is no LIMIT … BY: write QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) <= n'
  return instead.find(([words]) => words.split(' ').every((word, i) => isToken(tokens[at + i], word)))?.[1]
}

/** Says what is missing in the same words as statements parsed by hand. */
function inOurWords(message: string): string {
  const [, expected, found] = /^Expected:? (.*), found: (.*)$/s.exec(message) ?? []
  if (expected === undefined) return message
  return `expected ${expected.replace(/^end of statement$/, 'the end of the statement')}, found ${found === 'EOF' ? 'end of statement' : found}`
}
