// What may be the name of a database, a table or a column.

const maxBytes = 255

/** What is wrong with a name: empty, more than 255 bytes of UTF-8, a NUL in it, or half a surrogate pair; undefined when nothing is. */
export function nameProblem(what: 'database' | 'table' | 'column', name: string): string | undefined {
  if (typeof name !== 'string') return `the name of a ${what} is no text: ${String(name)}`
  const bytes = Buffer.byteLength(name)
  if (bytes === 0) return `the name of a ${what} is empty`
  if (bytes > maxBytes)
    return `the name of a ${what} has ${bytes} bytes, at most ${maxBytes} are allowed: ${name.slice(0, 40)}…`
  if (name.includes('\0')) return `the name of a ${what} holds a NUL character: ${JSON.stringify(name)}`
  return name.isWellFormed() ? undefined : `the name of a ${what} is no Unicode text: ${JSON.stringify(name)}`
}
