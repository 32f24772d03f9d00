// The words and numbers of syslog.
import { type FunctionSpec, fail } from '../function.ts'
import { kinds } from '../kind.ts'
import { lossy, type Text } from '../value.ts'

const levels = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']
const otherLevels: Readonly<Record<string, string>> = { panic: 'emerg', error: 'err', warn: 'warning' }
const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp', 'ntp'],
  ...['security', 'console', 'solaris-cron'],
  ...Array.from({ length: 8 }, (_, i) => `local${i}`)
]

/** From a number to a word. */
function naming(name: string, what: string, words: readonly string[], example: bigint): FunctionSpec {
  return {
    name,
    summary: `The word for the number of a ${what} of syslog.`,
    params: [{ name: 'value', kind: kinds.integer }],
    returns: kinds.string,
    fallible: true,
    run: (value: bigint) => {
      const word = value < 0n || value > 100n ? undefined : words[Number(value)]
      if (word === undefined) throw fail(`${what} code ${value} not valid`)
      return word
    },
    examples: [
      { title: 'A number', source: `${name}!(${example})`, result: `"${words[Number(example)]}"` },
      { title: 'Too large', source: `${name}!(99)`, raises: `${what} code 99 not valid` }
    ]
  }
}

/** From a word to a number. */
function numbering(name: string, what: string, find: (word: string) => number, example: string): FunctionSpec {
  return {
    name,
    summary: `The number for the word of a ${what} of syslog.`,
    params: [{ name: 'value', kind: kinds.string }],
    returns: kinds.integer,
    fallible: true,
    run: (value: Text) => {
      const found = find(lossy(value))
      if (found < 0) throw fail(`syslog ${what} not valid: ${lossy(value)}`)
      return BigInt(found)
    },
    examples: [
      { title: 'A word', source: `${name}!("${example}")`, result: String(find(example)) },
      { title: 'Another', source: `${name}!("weir")`, raises: `syslog ${what} not valid: weir` }
    ]
  }
}

export const syslogWords: readonly FunctionSpec[] = [
  naming('to_syslog_facility', 'facility', facilities, 4n),
  numbering('to_syslog_facility_code', 'facility', word => facilities.indexOf(word), 'local7'),
  naming('to_syslog_level', 'severity level', levels, 4n),
  numbering('to_syslog_severity', 'severity', word => levels.indexOf(otherLevels[word] ?? word), 'panic')
]
