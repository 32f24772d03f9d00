// Patterns as text for people, and as regular expressions.
import { type Pattern, partsWords, wildcard } from './cluster.ts'

/** The variable part never extends beyond its word. */
const anyWord = `[^${partsWords}]*`

/** `<*>` stands for variable words; `…` at the end if lines are longer. */
export function textOf({ words, gaps, isCut }: Pattern): string {
  const text = words.map((word, i) => word + (gaps[i] ?? '')).join('')
  return isCut ? `${text}…` : text
}

/** An RE2 expression that finds the lines of a pattern, and those of more specific ones. */
export function regexOf({ words, gaps, isCut }: Pattern): string {
  const parts = words.map((word, i) => wordRegex(word) + escaped(gaps[i] ?? ''))
  // The last word may be cut anywhere.
  return isCut ? `^${parts.slice(0, -1).join('')}` : `^${parts.join('')}$`
}

function wordRegex(word: string): string {
  return word.split(wildcard).map(escaped).join(anyWord)
}

function escaped(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}
