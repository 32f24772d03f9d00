// What may be the name of a database, a table or a column.

const mostBytes = 255

/** What is wrong with a name: empty, more than 255 bytes of UTF-8, or a NUL in it; undefined when nothing is. */
export function nameProblem(what: 'database' | 'table' | 'column', name: string): string | undefined {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0) return `the name of a ${what} is empty`
  if (bytes > mostBytes)
    return `the name of a ${what} has ${bytes} bytes, at most ${mostBytes} are allowed: ${name.slice(0, 40)}…`
  if (name.includes('\0')) return `the name of a ${what} holds a NUL character: ${JSON.stringify(name)}`
  return undefined
}
