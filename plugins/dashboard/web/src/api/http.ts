// Requests to the server this page came from, with the user and the database of the session.
import type { DashboardRequest } from '../../../host.ts'
import { database, mustSignIn, user } from '../session.ts'

/** An error answer of the server, or a failed request (status 0). */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Request = DashboardRequest

/** The answer to a request. Throws ApiError for any that is no success; asks for a user where the server wants one. */
export async function send(path: string, request: Request = {}): Promise<Response> {
  const { method, query = {}, form, body, headers = {}, signal, db = database.value } = request
  const address = new URL(path, location.origin)
  for (const [name, value] of entriesOf(query)) address.searchParams.set(name, value)
  const response = await fetchOrSay(address, {
    method: method ?? (form || body ? 'POST' : 'GET'),
    // The page asks for the user itself.
    credentials: 'omit',
    headers: {
      ...(db !== null && { 'x-svc-db-name': db }),
      ...(user.value && { authorization: user.value.authorization }),
      ...headers
    },
    ...(form && { body: new URLSearchParams(entriesOf(form)) }),
    ...(body !== undefined && { body }),
    ...(signal && { signal })
  })
  if (response.ok) return response
  if (response.status === 401) mustSignIn.value = true
  throw new ApiError(response.status, await reasonOf(response))
}

export async function json<T>(path: string, request?: Request): Promise<T> {
  return (await send(path, request)).json() as Promise<T>
}

function entriesOf(values: Readonly<Record<string, string | number | undefined>>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
}

/** The browser's own words for a server that is away tell nothing. */
async function fetchOrSay(address: URL, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(
      0,
      `The server at ${location.host} does not answer. Is it running, and can this machine reach it?`
    )
  }
}

/** The error for an answer whose body ended early; the browser's own message does not say that. A cancelled request keeps its error. */
export function brokenOff(error?: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error
  return new ApiError(0, 'The answer broke off: the statement failed behind its first rows, or the server ended.')
}

/** The forms in which APIs of the server say what is wrong; the last one is Jaeger's. */
interface Refusal {
  readonly error?: unknown
  readonly message?: unknown
  readonly errors?: readonly { readonly msg?: unknown }[]
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error, message, errors } = JSON.parse(text) as Refusal
    if (typeof error === 'string') return error
    if (typeof message === 'string') return message
    if (typeof errors?.[0]?.msg === 'string') return errors.map(({ msg }) => msg).join('\n')
  } catch {
    // It says so in plain words.
  }
  return text.trim() || `${response.status} ${response.statusText}`
}
