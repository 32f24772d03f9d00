// Maps the index of an event to a table.

/** The table for an index: trimmed, with unusual characters replaced; undefined if it is blank. */
export function tableOfIndex(index: string): string | undefined {
  const name = index.trim().replace(/[^A-Za-z0-9_:\-.@#]/gu, '_')
  if (name === '') return undefined
  return /^[A-Za-z_:-]/.test(name) ? name : `_${name}`
}
