// Shortens texts for messages and the log.

/** The text, or of a longer one the first `max` UTF-16 units and `…`. A character of two units is not cut in half. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return `${text.slice(0, isHalf ? max - 1 : max)}…`
}
