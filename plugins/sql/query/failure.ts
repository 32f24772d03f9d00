// Errors of the engine in the words of this server: locations, names and types as the user writes them.
import { DbError, didYouMean, isDbError } from '../../../core/index.ts'
import { isName, isToken, locationOf, nextToken, noValues, quoteName, quoteText, type Token } from '../text/token.ts'
import { inOurTypes } from './engine-type.ts'
import type { Names } from './names.ts'
import { hidden } from './text-time.ts'

interface Failed {
  /** The statement as it was written. */
  readonly tokens: readonly Token[]
  readonly sourceOf: (at: number) => number | undefined
  readonly names: Names
  /** Names there are where one in lower case is none. */
  readonly valid: ReadonlyMap<string, readonly string[]>
  /** Whether what begins at an offset of the source stands beside a time. */
  readonly isTime: (start: number) => boolean
  /** The words of the engine are those of the statement. */
  readonly isForeign?: true
}

/** Names an error lists at most. */
const listedNames = 50

export function explainFailure(error: unknown, sql: string, failed: Failed): never {
  if (!isDbError(error)) throw error
  const { code, offset, cause } = error
  if (offset === undefined && code !== 'PlanQuery' && code !== 'InvalidSyntax') throw error
  const tell = (said: string): never => {
    throw new DbError(code, code === 'PlanQuery' ? `Failed to plan SQL: ${said}` : said, { cause })
  }
  const locate = (start: number | undefined) => (start === undefined ? '' : locationOf(sql, start))
  if (failed.isForeign) return tell(error.message + locate(offset === undefined ? undefined : failed.sourceOf(offset)))
  const named = [...failed.names.shown].reduce((text, [engine, name]) => text.replaceAll(engine, name), error.message)
  const plain = named.replace(/^[A-Z][A-Za-z ]* Error: /, '')
  const start = errorStart(plain, offset, failed)
  const token = start === undefined ? undefined : nextToken(sql, start)
  return tell(reason(plain, failed, locate(start), token))
}

/** Words before a parenthesis that are no functions. */
const uncalled: ReadonlySet<string> = new Set([...noValues, 'cast', 'exists', 'some', 'try_cast'])

/** The function that is called where an error is: what it is made of may be all that the engine names. */
function callAt(tokens: readonly Token[], failed: Token | undefined): string | undefined {
  const at = tokens.findIndex(({ start }) => start === failed?.start)
  if (!isName(tokens[at]) || !isToken(tokens[at + 1], '(')) return undefined
  const name = tokens[at].value.toLowerCase()
  return uncalled.has(name) ? undefined : name
}

/** Where an error belongs. What goes wrong inside of a function is reported at its call, unless the text it is about is in the call. */
function errorStart(message: string, offset: number | undefined, { tokens, sourceOf }: Failed): number | undefined {
  if (offset === undefined) return startOfSubject(message, tokens)
  const start = sourceOf(offset)
  const at = tokens.findIndex(token => token.start === start)
  const text = isToken(tokens[at + 1], '(') ? startOfSubject(message, tokens) : undefined
  return tokens.find(token => token.start === text)?.kind === 'string' ? text : start
}

/** Errors the engine tells without a location, and the words or symbols of the statement that they are about. */
const subjects: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^SELECT locking clause/, ['for']],
  [/^SELECT INTO/, ['into']],
  [/^VALUES lists must/, ['values']],
  [/^Set operations can only apply/, ['union', 'except', 'intersect']],
  [/^GROUP BY term out of range/, ['group']],
  [/^\* expression without FROM/, ['*']],
  [/^Overflow in addition/, ['+']],
  [/^Overflow in subtraction/, ['-']],
  [/^Overflow in multiplication/, ['*']]
]

/** Where an error without a location belongs: to the only word or text of the statement that it quotes or is about. */
function startOfSubject(message: string, tokens: readonly Token[]): number | undefined {
  const subject = subjects.find(([pattern]) => pattern.test(message))
  if (subject !== undefined) {
    const found = tokens.filter(token => subject[1].some(word => isToken(token, word)))
    return found.length === 1 ? found[0]!.start : undefined
  }
  const quoted =
    /^(?:\w+ with name|column) (\w+) (?:does not exist|must appear)/.exec(message)?.[1] ??
    /^Overflow on (\w+)\(/.exec(message)?.[1] ??
    /["'](.+?)["']/.exec(message)?.[1] ??
    /: (.+)$/.exec(message)?.[1]
  const found = tokens.filter(({ kind, value }) => kind !== 'symbol' && value === quoted)
  return found.length === 1 ? found[0]!.start : undefined
}

const noField = [
  /Referenced column "(.*?)" not found in FROM clause!?/s,
  /Referenced column "(.*?)" was not found because the FROM clause is missing/s,
  /(?:Table|Values list) ".*?" does not have a column named "(.*?)"/s,
  /Column "(.*?)" in (?:EXCLUDE|REPLACE|RENAME) list not found in .*/s,
  /Column "(.*?)" does not exist on (?:left|right) side of join!?/s
]

function reason(plain: string, { tokens, valid, isTime }: Failed, location: string, token: Token | undefined): string {
  const found = noField.map(pattern => pattern.exec(plain)).find(match => match !== null)
  if (found !== undefined) return unknownField(found[1]!, location, valid.get(found[1]!.toLowerCase()))
  const text = convertedText(tokens, token)
  if (/^Could not convert string/.test(plain) && text !== undefined) {
    if (isTime(text.start)) return `${quoteText(text.value)} is not a time${location}`
    // The engine stores both as integers, and names these.
    const type = /^Could not convert string .* to INT128$/s.test(plain) ? castType(tokens, text) : undefined
    if (type !== undefined) return `${quoteText(text.value)} is not a valid ${type}${location}`
  }
  // The engine writes the digits of a time that it cannot read as a text.
  const isNumber = token?.kind === 'number' || isToken(token, '-') || isToken(token, '+')
  if (/^Could not convert string .* to INT64/.test(plain) && token && isNumber && isTime(token.start))
    return `the number is beyond the times there are in the unit of what it stands beside${location}`
  const inner = /^No function matches the given name and argument types '(\w+)(\(.*?\))'/.exec(plain)
  const isInner = inner !== null && !tokens.some(({ value }) => value.toLowerCase() === inner[1])
  const told = isInner ? `no function of this call takes ${inOurTypes(inner[2]!)}` : inOurWords(plain, token)
  const [first, ...more] = told.split('\n')
  const called = callAt(tokens, token)
  const subject = called === undefined || told.toLowerCase().includes(called) ? '' : `${called}: `
  const said = `${subject}${first!.replace(/[.!]$/, '')}${location}`
  return more.length === 0 ? said : [`${said}.`, ...more].join('\n')
}

/** The text of the statement whose conversion failed at a token, which is the text or its cast. */
function convertedText(tokens: readonly Token[], failed: Token | undefined): Token | undefined {
  const at = tokens.findIndex(({ start }) => start === failed?.start)
  const beside = isToken(failed, ':') ? tokens[at - 1] : isToken(tokens[at + 1], '(') ? tokens[at + 2] : tokens[at + 1]
  return [tokens[at], beside].find(token => token?.kind === 'string')
}

/** The type that a text is cast to, if it is a name of one word. */
function castType(tokens: readonly Token[], text: Token): string | undefined {
  const at = tokens.indexOf(text)
  const behind = isToken(tokens[at + 1], 'as') ? 2 : isToken(tokens[at + 1], ':') ? 3 : -1
  const type = tokens[at + behind]
  return type?.kind === 'word' && !noValues.has(type.value.toLowerCase()) ? type.value.toUpperCase() : undefined
}

export function unknownField(name: string, location: string, known: readonly string[] | undefined): string {
  const valid = known === undefined || known.length === 0 ? '' : ` Valid fields are ${listed(known)}`
  return `No field named ${name}${location}${didYouMean(name, known ?? []) || '.'}${valid}`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, listedNames).map(quoteName).join(', ')
  return names.length > listedNames ? `${shown} and ${names.length - listedNames} more` : shown
}

/** Names the column a value came from, unless it is one of ours. */
function ofColumn(column: string | undefined): string {
  return column === undefined || column === hidden || column === 'SUBQUERY' ? '' : `, a value of ${column}`
}

function withArticle(type: string): string {
  return `${/^[AEIO]/.test(type) ? 'an' : 'a'} ${type}`
}

/** Sentences of the engine by what they begin with, and what is said instead; the rest of the message follows. */
const sentences: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [
    /^No function matches the given name and argument types '(.*?)'\. You might need to add explicit type casts\.?/s,
    call => `there is no ${inOurTypes(call)}`
  ],
  [
    /^Could not choose a best candidate function for the function call "(.*?)"\. In order to select one, please add explicit type casts\.?/s,
    call => `${inOurTypes(call)} may mean several functions, cast its arguments`
  ],
  [
    /^Macro (\S+)\(\) does not support the supplied arguments\. You might need .*? casts\.?/s,
    name => `${name} does not take these arguments`
  ],
  [
    /^Column "(.*?)" referenced that exists in the SELECT clause - but this column cannot be referenced before it is defined/s,
    name => `No field named ${name}`
  ],
  [/^Function "(\S+)" is a Macro Function\. .*/s, name => `${name} takes no DISTINCT, FILTER, ORDER BY or OVER`],
  [
    /^(?:Scalar|Aggregate|Table) Function with name (\S+) does not exist.*/s,
    name => `${name} cannot be called like this`
  ],
  [
    /^Referenced table "(.*?)" not found!?\s*Candidate tables: (.*)/s,
    (name, others) => `No table named ${name}, there are ${others}`
  ],
  [
    /^Could not convert string (.*) to ([A-Z0-9_]+(?:\([\d, ]*\))?)(?: when casting from source column (.*))?$/s,
    (text, type, column) =>
      `${text} is not a valid ${type === 'INT128' ? 'HUGEINT or UUID' : inOurTypes(type)}${ofColumn(column)}`
  ],
  [
    /^(?:Type .*? with value|Could not cast value) (.*) (?:can't be cast because the value is out of range for the destination type|to) ([A-Z0-9_]+(?:\([\d, ]*\))?)(?: when casting from source column (.*))?$/s,
    (value, type, column) => `${value} is beyond the range of ${inOurTypes(type)}${ofColumn(column)}`
  ],
  [
    /^Type (.*?) with value (.*) can't be cast to the destination type (.*)$/s,
    (from, value, to) => `no ${inOurTypes(from)} becomes ${withArticle(inOurTypes(to))}: ${value}`
  ],
  [
    /^SELECT locking clause is not supported/,
    () => 'a query reads what was stored when it began: leave out the lock of its rows'
  ],
  [/^SELECT INTO not supported/, () => 'write CREATE TABLE name AS SELECT … in the place of INTO'],
  [/^VALUES lists must all be the same length/, () => 'the rows of VALUES differ in length'],
  [
    /^Set operations can only apply to expressions with the same number of result columns/,
    () => 'the queries differ in the number of their columns'
  ],
  [/^\* expression without FROM clause/, () => 'there is no FROM whose columns * could mean'],
  [/^Collation with name (\S+) does not exist\.?/, name => `there is no collation ${name}`],
  [
    /^(?:invalid )?(timestamp|date|time) field (?:format|value out of range): "(.*?)"(?:, expected format is \((.*?)\))?(?: when casting from source column (.*))?$/s,
    (type, text, format, column) => {
      const expected = format === undefined ? '' : `: expected ${format}`
      return `${quoteText(text!)} is not a ${type === 'date' ? 'date' : 'time'}${ofColumn(column)}${expected}`
    }
  ],
  [
    /^Cannot copy BoundSubqueryExpression/,
    () => 'unnest makes no columns of a struct that a subquery gives: put the subquery into FROM'
  ],
  [
    /^Unimplemented type for cast \((.*) -> (.*?)\)(?: when casting from source column (.*))?$/s,
    (from, to, column) => `no ${inOurTypes(from!)} becomes ${withArticle(inOurTypes(to!))}${ofColumn(column)}`
  ],
  [
    /^Cannot concatenate types (.*?) and (.*?) - an explicit cast is required/,
    (one, other) => `|| does not join ${inOurTypes(one!)} and ${inOurTypes(other!)}: write [x] for a list of one value`
  ],
  [/^strftime format must be a constant/, () => 'the pattern of a time must be a constant'],
  [/^Type with name (\S+) does not exist!?/, name => `there is no type ${name}`],
  [/^extract specifier (".*?") not recognized/, part => `a time has no part ${part}`],
  [/^(Overflow in \S+ of) (\S+)/, (what, type) => `${what} ${inOurTypes(type)}`],
  [
    /^Cannot compare values of type (.*?) and (?:type )?(.*?)(?: in IN\/ANY\/ALL clause)? - an explicit cast is required/,
    (one, other) => `${inOurTypes(one)} and ${inOurTypes(other)} do not compare, cast one of them`
  ],
  [
    /^(missing [\])}]|unexpected \)|no argument for repetition operator|bad repetition operator|invalid (?:escape sequence|perl operator|character class range|character range|repetition size|named capture group|UTF-8)|trailing \\ at end of regular expression): (.*)$/s,
    (what, pattern) => `the regular expression ${pattern} is wrong: ${what}`
  ]
]

/** `token` stands at the offset the engine named, which may have stumbled over a word that was put there for it. */
function inOurWords(plain: string, token: Token | undefined): string {
  const syntax = /^syntax error at or near "(.*)"$/s.exec(plain)
  if (syntax !== null) return `syntax error at ${token?.value ?? syntax[1]}`
  const found = sentences.find(([pattern]) => pattern.test(plain))
  if (found === undefined) return plain
  const [pattern, say] = found
  const match = pattern.exec(plain)!
  const [more = '', candidates] = plain.slice(match[0].length).split(/Candidate (?:functions|macros):/)
  const others = candidates === undefined ? '' : `\nThere are:${inOurTypes(candidates)}`
  return `${say(...match.slice(1))}${inOurTypes(more).trimEnd()}${others}`
}
