// Patterns as people read them, and as regular expressions.
import { type Pattern, partsWords, wildcard } from './cluster.ts'

/** What stands where lines differ never reaches beyond its word. */
const anyWord = `[^${partsWords}]*`

/** `<*>` stands where lines differ; at the end `…` where they go on. */
export function textOf({ words, gaps, isCut }: Pattern): string {
  const text = words.map((word, i) => word + (gaps[i] ?? '')).join('')
  return isCut ? `${text}…` : text
}

/** An expression in RE2 syntax that finds the lines of a pattern, and those of more exact ones. */
export function regexOf({ words, gaps, isCut }: Pattern): string {
  const parts = words.map((word, i) => wordRegex(word) + escaped(gaps[i] ?? ''))
  // The last word may be cut off anywhere.
  return isCut ? `^${parts.slice(0, -1).join('')}` : `^${parts.join('')}$`
}

function wordRegex(word: string): string {
  return word.split(wildcard).map(escaped).join(anyWord)
}

function escaped(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')
}
