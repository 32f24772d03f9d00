// `FROM t WHERE …` without a SELECT, which DuckDB takes for `SELECT * FROM t WHERE …`: the grammar does not read it.
import { bracketStep } from '../text/brackets.ts'
import { isToken, type Token, tokensAt } from '../text/token.ts'

/** The state of the query in one level of brackets. */
interface Level {
  readonly isWith: boolean
  /** Whether a SELECT or FROM of the level itself, behind its WITH, was read. */
  hasMain: boolean
  /** The FROM a query of the level began with, until its SELECT is read; −1 without one. */
  from: number
}

const sets = ['union', 'except', 'intersect']
const behindSets = ['all', 'distinct', 'by', 'name']

/** With `SELECT *` before each FROM that begins a query and has no SELECT behind it. */
export function plainFroms(written: readonly Token[]): readonly Token[] {
  const found = new Set<number>()
  const levels: Level[] = [openLevel(written, 0)]
  const end = (level: Level | undefined) => {
    if (level !== undefined && level.from >= 0) found.add(level.from)
  }
  written.forEach((token, at) => {
    const step = bracketStep(token)
    const level = levels.at(-1)!
    if (step > 0) levels.push(openLevel(written, at + 1))
    else if (step < 0 && levels.length > 1) end(levels.pop())
    else if (isToken(token, 'select')) {
      level.hasMain = true
      level.from = -1
    } else if (sets.some(word => isToken(token, word))) {
      end(level)
      level.from = -1
    } else if (isToken(token, 'from') && beginsQuery(written, at, level)) {
      level.hasMain = true
      level.from = at
    }
  })
  for (const level of levels) end(level)
  if (found.size === 0) return written
  return written.flatMap((token, at) => (found.has(at) ? [...tokensAt(token, ['SELECT *']), token] : [token]))
}

function openLevel(tokens: readonly Token[], first: number): Level {
  return { isWith: isToken(tokens[first], 'with'), hasMain: false, from: -1 }
}

function beginsQuery(tokens: readonly Token[], from: number, level: Level): boolean {
  let before = from - 1
  if (before < 0 || isToken(tokens[before], '(')) return true
  if (isToken(tokens[before], ')')) return level.isWith && !level.hasMain
  while (behindSets.some(word => isToken(tokens[before], word))) before--
  return sets.some(word => isToken(tokens[before], word))
}
