// Requests with credentials, a limit and retries.

export interface ClientOptions {
  /** Address of the server, `http://127.0.0.1:4000`; a path before `/v1` may follow. */
  readonly url: string
  /** Database of all requests, `public` without it. */
  readonly db?: string
  readonly user?: string
  readonly password?: string
  /** A token instead of user and password. */
  readonly token?: string
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How often a request is sent again that the server could not take now; 5 without it. */
  readonly retries?: number
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** What every request may be given. */
export interface RequestOptions {
  /** Ends the request, and waiting before it is sent again. */
  readonly signal?: AbortSignal
  /** Database of this request. */
  readonly db?: string
}

/** The server's answer that it did not do what was asked; `status` is 0 where there was no answer. */
export class WeirError extends Error {
  /** Of HTTP. */
  readonly status: number
  /** Of the server: docs/errors.md. */
  readonly code: number | undefined
  /** Seconds after which the server says the request may succeed. */
  readonly retryAfter: number | undefined

  constructor(message: string, status: number, code?: number, retryAfter?: number, cause?: unknown) {
    super(message, { cause })
    this.name = 'WeirError'
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

export interface Sending extends RequestOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  /** Of the URL; those that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: string | URLSearchParams
  readonly type?: string
  /** Whether it may be sent again when nobody knows whether it arrived: true for what changes nothing. */
  readonly repeatable: boolean
}

export type Send = (path: string, sending: Sending) => Promise<Response>

/**
 * Sends requests. One that is answered with 429 or 503 is sent again after the time that `Retry-After` says, or after a growing one; one
 * without an answer only where it is repeatable. Rejects with WeirError, and with the signal's reason.
 */
export function createSend(options: ClientOptions): Send {
  const { url, retries = 5, fetch: ask = fetch } = options
  const base = url.endsWith('/') ? url : `${url}/`
  return async (path, { method = 'POST', query = {}, body, type, repeatable, signal, db = options.db }) => {
    const target = new URL(path, base)
    for (const [name, value] of Object.entries({ ...query, db }))
      if (value !== undefined) target.searchParams.set(name, String(value))
    const headers = headersOf(options, type)
    for (let attempt = 0; ; attempt++) {
      const failure = await attemptOnce(() =>
        ask(target, { method, headers, ...(body !== undefined && { body }), ...(signal && { signal }) })
      )
      if (failure instanceof Response) return failure
      signal?.throwIfAborted()
      const isBusy = failure.status === 429 || failure.status === 503
      if (attempt >= retries || !(isBusy || (failure.status === 0 && repeatable))) throw failure
      await wait(failure.retryAfter === undefined ? growing(attempt) : failure.retryAfter * 1000, signal)
    }
  }
}

async function attemptOnce(run: () => Promise<Response>): Promise<Response | WeirError> {
  try {
    const response = await run()
    return response.ok ? response : await errorOf(response)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return new WeirError(`no answer: ${cause instanceof Error ? cause.message : cause}`, 0, undefined, undefined, error)
  }
}

async function errorOf(response: Response): Promise<WeirError> {
  const { status, headers } = response
  const text = await response.text()
  const retryAfter = secondsOf(headers.get('retry-after'))
  try {
    const { error, code } = JSON.parse(text)
    if (typeof error === 'string') return new WeirError(error, status, code, retryAfter)
  } catch {
    // A proxy answers in words of its own.
  }
  return new WeirError(text || `the server answers ${status}`, status, undefined, retryAfter)
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Milliseconds: a quarter of a second and twice as long each time, up to half a minute, spread so that clients do not come at once. */
function growing(attempt: number): number {
  return Math.min(30_000, 250 * 2 ** attempt) * (0.5 + Math.random())
}

/** What timers hold; a longer time would be none. */
const maxTimer = 2 ** 31 - 1

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(milliseconds, maxTimer)
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function headersOf({ user, password = '', token, headers }: ClientOptions, type: string | undefined): Headers {
  const all = new Headers(headers)
  if (token !== undefined) all.set('authorization', `Bearer ${token}`)
  else if (user !== undefined) all.set('authorization', `Basic ${base64(`${user}:${password}`)}`)
  if (type !== undefined) all.set('content-type', type)
  return all
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** Pieces of the text of a body; leaving the loop early ends the request. */
export async function* textOf(response: Response): AsyncGenerator<string, void> {
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } finally {
    await reader.cancel().catch(() => {})
  }
}
