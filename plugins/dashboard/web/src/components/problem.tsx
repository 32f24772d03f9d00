// Shows an error with the server's message.
export function Problem({ error }: { readonly error: unknown }) {
  return (
    <div class="problem" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </div>
  )
}
