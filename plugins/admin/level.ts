// Log levels as operators write them.

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** A level in any case; undefined when it is none. */
export function parseLevel(text: string): (typeof levels)[number] | undefined {
  const lower = text.toLowerCase()
  return levels.find(level => level === lower)
}
