// Errors of the engine in the words of this server: places and names as the user wrote them.
import { DbError, isDbError } from '../../../core/index.ts'
import { errorAt, quoteName, type Token, tokenText } from '../text/token.ts'
import type { Names } from './names.ts'

export interface Failed {
  readonly tokens: readonly Token[]
  readonly names: Names
  /** Names there are where one in lower case is none. */
  readonly valid: ReadonlyMap<string, readonly string[]>
}

/** Names an error lists at most. */
const listedNames = 50

export function explainFailure(error: unknown, sql: string, failed: Failed): never {
  if (isDbError(error) && error.code === 'InvalidSyntax') throw placed(error, sql, failed.tokens)
  if (!isDbError(error) || error.code !== 'PlanQuery') throw error
  throw new DbError('PlanQuery', `Failed to plan SQL: ${reason(error.message, failed)}`, { cause: error })
}

const noField = [
  /Referenced column "(.*?)" not found in FROM clause!?(?:\s*Candidate bindings: (.*))?/s,
  /(?:Table|Values list) ".*?" does not have a column named "(.*?)"(?:\s*Candidate bindings: (.*))?/s
]

function reason(message: string, { names, valid }: Failed): string {
  const told = [...names.shown].reduce((text, [engine, name]) => text.replaceAll(engine, name), message)
  const found = noField.map(pattern => pattern.exec(told)).find(match => match !== null)
  if (found === undefined) return told
  const [, name, candidates] = found
  const known = valid.get(name!.toLowerCase())
  const list = known === undefined ? candidates?.trim() : listed(known)
  return `No field named ${name}.${list ? ` Valid fields are ${list}` : ''}`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, listedNames).map(quoteName).join(', ')
  return names.length > listedNames ? `${shown} and ${names.length - listedNames} more` : shown
}

/** The engine read another text than the user wrote: what it stumbled over is found again where it stands only once. */
function placed(error: DbError, sql: string, tokens: readonly Token[]): DbError {
  const near = /^Parser Error: syntax error at or near "(.*)"$/s.exec(error.message)?.[1]
  const [token, ...others] = tokens.filter(other => tokenText(other) === near)
  if (token === undefined || others.length > 0) return error
  return errorAt(sql, token.start, `syntax error at ${near}`)
}
