// Asks for a user of the server, and tries it before it is kept.
import { useState } from 'preact/hooks'
import { ApiError } from '../api/http.ts'
import { sql } from '../api/sql.ts'
import icon from '../icon.svg'
import { makeUser, mustSignIn, user } from '../session.ts'
import { Problem } from './problem.tsx'

export function SignIn() {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    setError(undefined)
    user.value = makeUser(String(form.get('name')), String(form.get('password')))
    try {
      await sql('SELECT 1')
      mustSignIn.value = false
    } catch (reason) {
      // One who may only write is signed in all the same.
      if (reason instanceof ApiError && reason.status === 403) mustSignIn.value = false
      else {
        user.value = undefined
        setError(reason)
      }
    }
    setBusy(false)
  }
  return (
    <main class="sign-in card">
      <div class="brand">
        <img src={icon} alt="" width="28" height="28" />
        <h1>Sign in to Weir</h1>
      </div>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span>User</span>
          <input name="name" autocomplete="username" required autofocus />
        </label>
        <label class="field">
          <span>Password</span>
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {error !== undefined && <Problem error={error} />}
        <button class="main" type="submit" disabled={busy}>
          Sign in
        </button>
      </form>
    </main>
  )
}
