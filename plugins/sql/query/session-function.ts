// Functions that tell of the server, the user and the database: the engine would tell of itself.
import { type RequestContext, version } from '../../../core/index.ts'
import { catalogName } from '../catalog/name.ts'
import type { Canonical } from '../text/canonical.ts'
import { isToken, quoteText, type Token } from '../text/token.ts'
import { type Edit, replace } from './edit.ts'

type Asking = Pick<RequestContext, 'user' | 'db' | 'timezone'>

/** The SQL in place of each. */
const functions: Readonly<Record<string, (asking: Asking) => string>> = {
  build: () => quoteText(version),
  version: () => quoteText(version),
  timezone: ({ timezone }) => quoteText(timezone),
  database: ({ db }) => quoteText(db),
  schema: ({ db }) => quoteText(db),
  current_database: ({ db }) => quoteText(db),
  current_schema: ({ db }) => quoteText(db),
  current_catalog: () => quoteText(catalogName),
  user: ({ user }) => quoteText(user.name),
  current_user: ({ user }) => quoteText(user.name),
  session_user: ({ user }) => quoteText(user.name),
  // The engine takes the bare word for the name of a column first, that of a result among them.
  current_timestamp: () => 'now()'
}

/** Those that SQL calls without parentheses. */
const words = ['current_catalog', 'current_schema', 'current_user', 'session_user', 'user', 'current_timestamp']

export function isSessionWord(token: Token): boolean {
  return words.some(word => isToken(token, word))
}

/** The text in place of the call whose name is a token; none for other functions. */
export function sessionEdit(statement: Canonical, at: number, asking: Asking): Edit[] {
  const { tokens } = statement
  const name = tokens[at]!.value.toLowerCase()
  if (tokens[at]!.kind !== 'word' || !Object.hasOwn(functions, name)) return []
  const called = isToken(tokens[at + 1], '(')
  if (called ? !isToken(tokens[at + 2], ')') : !isSessionWord(tokens[at]!)) return []
  return [replace(statement, at, called ? at + 2 : at, functions[name]!(asking))]
}
