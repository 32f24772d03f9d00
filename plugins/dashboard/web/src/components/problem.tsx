// What went wrong, in the server's words.
export function Problem({ error }: { readonly error: unknown }) {
  return (
    <div class="problem" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </div>
  )
}
