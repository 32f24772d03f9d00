// Rows as comma-separated values.
export function csvOf(rows: readonly (readonly unknown[])[]): string {
  return `${rows.map(row => row.map(field).join(',')).join('\n')}\n`
}

function field(value: unknown): string {
  const text = String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
