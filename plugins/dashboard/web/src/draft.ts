// Texts that were not stored yet, kept in the browser until they are.
const prefix = 'weir.draft.'

export function readDraft(key: string): string | undefined {
  return localStorage.getItem(prefix + key) ?? undefined
}

/** `stored`: the saved text; a draft equal to it is not kept. */
export function keepDraft(key: string, text: string, stored: string): void {
  if (text === stored) localStorage.removeItem(prefix + key)
  else localStorage.setItem(prefix + key, text)
}
