// Patterns of Postgres for times, as those of strftime.
import type { DbError } from '../../../core/index.ts'
import { planError } from '../error.ts'
import { locationOf, quoteText, type Token } from '../text/token.ts'

/** By their letters; in any case those that make digits. */
const digits: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  IYYY: '%G',
  YY: '%y',
  MM: '%m',
  DDD: '%j',
  DD: '%d',
  ID: '%u',
  IW: '%V',
  HH24: '%H',
  HH12: '%I',
  HH: '%I',
  MI: '%M',
  SS: '%S',
  MS: '%g',
  US: '%f',
  FF3: '%g',
  FF6: '%f'
}
/** Names have the case of their pattern; strftime has one for each. */
const names: Readonly<Record<string, string>> = {
  Month: '%B',
  Mon: '%b',
  Day: '%A',
  Dy: '%a',
  AM: '%p',
  PM: '%p',
  TZ: '%Z'
}
const longestFirst = [...Object.keys(digits), ...Object.keys(names)].sort((a, b) => b.length - a.length)
/** Specifiers that strftime can also write without leading zeros. */
const padded = /%([mdjHIMS])/

/** The form for strftime and strptime. Throws DbError for a pattern they do not have; `name` is the function, `token` the constant in `sql`. */
export function translatePattern(sql: string, name: string, token: Token): string {
  const form = token.value
  let out = ''
  let at = 0
  while (at < form.length) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(form.slice(at))
    if (quoted !== null) {
      out += quoted[1]!.replace(/\\(.)/g, '$1')
      at += quoted[0].length
    } else if (/[A-Za-z]/.test(form[at]!)) {
      const [pattern, length] = readPattern(form, at) ?? []
      if (pattern === undefined || length === undefined)
        throw unknownPattern(sql, name, token, form.slice(at).match(/^[A-Za-z]+\d*/)![0])
      const behind = at + length
      // Behind a number it would be st, nd, rd or th.
      if (/^th/i.test(form.slice(behind))) throw unknownPattern(sql, name, token, form.slice(at, behind + 2))
      out += pattern
      at = behind
    } else out += form[at++]!
  }
  return out
}

function readPattern(form: string, at: number): readonly [string, number] | undefined {
  const bare = form.slice(at, at + 2).toUpperCase() === 'FM'
  const rest = form.slice(bare ? at + 2 : at)
  const found = longestFirst.find(each => {
    const written = rest.slice(0, each.length)
    return (Object.hasOwn(digits, each) ? written.toUpperCase() : written) === each
  })
  if (found === undefined) return undefined
  const pattern = digits[found] ?? names[found]!
  return [bare ? pattern.replace(padded, '%-$1') : pattern, found.length + (bare ? 2 : 0)]
}

function unknownPattern(sql: string, name: string, token: Token, letters: string): DbError {
  return planError(
    `${name} does not know ${letters} in ${quoteText(token.value)}${locationOf(sql, token.start)}: text stands in double quotes`
  )
}
