// The index of an event is the table it goes to.

/** A table's name made of an index as clients write it: trimmed, odd characters replaced; undefined where it is blank. */
export function tableOfIndex(index: string): string | undefined {
  const name = index.trim().replace(/[^A-Za-z0-9_:\-.@#]/gu, '_')
  if (name === '') return undefined
  return /^[A-Za-z_:-]/.test(name) ? name : `_${name}`
}
