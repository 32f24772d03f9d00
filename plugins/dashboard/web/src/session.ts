// Who the user is, for as long as the tab lives; which database is looked at.
import { computed, effect, signal } from '@preact/signals'
import { change, parameters } from './router.ts'

const userKey = 'weir.user'
const databaseKey = 'weir.database'
const firstDatabase = 'public'

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

/** The database of the address; without one there, the server's default, so that a link means the same to every reader. */
export const database = computed(() => parameters.value.get('db') ?? firstDatabase)

/** Chosen last in this browser; undefined where it is the first one. */
export function lastDatabase(): string | undefined {
  return localStorage.getItem(databaseKey) ?? undefined
}

export function chooseDatabase(name: string): void {
  if (name === firstDatabase) localStorage.removeItem(databaseKey)
  else localStorage.setItem(databaseKey, name)
  change({
    db: name === firstDatabase ? undefined : name,
    table: undefined,
    metric: undefined,
    line: undefined,
    f: undefined
  })
}

effect(() => {
  if (user.value === undefined) sessionStorage.removeItem(userKey)
  else sessionStorage.setItem(userKey, JSON.stringify(user.value))
})

export function makeUser(name: string, password: string): User {
  const bytes = new TextEncoder().encode(`${name}:${password}`)
  return { name, authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

export function signOut(): void {
  user.value = undefined
  mustSignIn.value = true
}
