// Keeps passwords and the like out of what is recorded.

/** Replaces constants that follow a word for something secret. */
export function withoutSecrets(query: string): string {
  const secret =
    /\b(\w*(?:password|passwd|secret|token|credential|access_key|api_key)\w*['"`]?\s*(?:=|:|=>|\s)\s*)'(?:[^']|'')*'?/gi
  return query.replace(secret, "$1'***'")
}
