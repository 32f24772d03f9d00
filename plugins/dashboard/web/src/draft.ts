// Texts that were not stored yet, kept in the browser until they are.
const prefix = 'weir.draft.'

export function readDraft(key: string): string | undefined {
  return localStorage.getItem(prefix + key) ?? undefined
}

/** `stored`: what it is a draft of; a text that is the same needs no keeping. */
export function keepDraft(key: string, text: string, stored: string): void {
  if (text === stored) localStorage.removeItem(prefix + key)
  else localStorage.setItem(prefix + key, text)
}
