// Quotes names and texts for SQL.

/** A name as a quoted SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as an SQL expression. NUL characters are added by `chr(0)`, because a literal cannot contain them. */
export function quoteText(text: string): string {
  const literal = `'${text.replaceAll("'", "''")}'`
  return text.includes('\0') ? `(${literal.replaceAll('\0', "' || chr(0) || '")})` : literal
}
