// What an error says, for messages within others.

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
