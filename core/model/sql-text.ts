// Names and texts in SQL.

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as an expression: no literal holds a NUL, where it would end the statement. */
export function quoteText(text: string): string {
  const literal = `'${text.replaceAll("'", "''")}'`
  return text.includes('\0') ? `(${literal.replaceAll('\0', "' || chr(0) || '")})` : literal
}
