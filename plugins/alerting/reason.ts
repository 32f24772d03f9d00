// The reason in an error, to be embedded in other messages.

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
