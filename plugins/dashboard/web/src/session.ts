// Who the user is, for as long as the tab lives; which database is looked at.
import { effect, signal } from '@preact/signals'

const userKey = 'weir.user'
const databaseKey = 'weir.database'

interface User {
  readonly name: string
  /** Value of the header. */
  readonly authorization: string
}

function readUser(): User | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(userKey) ?? 'null') as User | null) ?? undefined
  } catch {
    return undefined
  }
}

export const user = signal<User | undefined>(readUser())

/** True once the server refused a request for want of a user. */
export const mustSignIn = signal(false)

export const database = signal(localStorage.getItem(databaseKey) ?? 'public')

effect(() => {
  if (user.value === undefined) sessionStorage.removeItem(userKey)
  else sessionStorage.setItem(userKey, JSON.stringify(user.value))
})
effect(() => localStorage.setItem(databaseKey, database.value))

export function makeUser(name: string, password: string): User {
  const bytes = new TextEncoder().encode(`${name}:${password}`)
  return { name, authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

export function signOut(): void {
  user.value = undefined
  mustSignIn.value = true
}
