// Expressions that find values in JSON text, whatever blanks it was written with.
import { writeJson } from '../../cell.ts'

const blanks = '\\s*'

/** The whole text is the value. `text` is JSON; else it is a text by itself. */
export function wholePattern(text: string): string {
  return `^${blanks}${patternOf(parse(text) ?? text)}${blanks}$`
}

/** An object has the member: `"key": value` as JSON writes it, else just the text. */
export function memberPattern(text: string): string {
  const member = parse(`{${text}}`)
  if (member === undefined) return escaped(text)
  return `${membersOf(member as object).join(`${blanks},${blanks}`)}${blanks}[,}]`
}

export function memberText(key: string, value: unknown): string {
  return `${JSON.stringify(key)}: ${writeJson(value)}`
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function patternOf(value: unknown): string {
  if (Array.isArray(value)) return enclosed('\\[', value.map(patternOf), '\\]')
  if (typeof value === 'object' && value !== null) return enclosed('\\{', membersOf(value), '\\}')
  return escaped(JSON.stringify(value))
}

function membersOf(value: object): string[] {
  return Object.entries(value).map(
    ([key, each]) => `${escaped(JSON.stringify(key))}${blanks}:${blanks}${patternOf(each)}`
  )
}

function enclosed(open: string, parts: readonly string[], close: string): string {
  return [open, parts.join(`${blanks},${blanks}`), close].filter(part => part !== '').join(blanks)
}
