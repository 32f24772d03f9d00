// Sends requests with credentials, a time limit and retries.

export interface ClientOptions {
  /** Address of the server, `http://127.0.0.1:4000`; a path before `/v1` may follow. */
  readonly url: string
  /** Database of all requests; default `public`. */
  readonly db?: string
  readonly user?: string
  readonly password?: string
  /** An access token, used instead of user and password. */
  readonly token?: string
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How many times a request is retried when the server is overloaded or unreachable; default 5. */
  readonly retries?: number
  /** The function that sends requests; default the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request, also while it waits for a retry. */
  readonly signal?: AbortSignal
  /** Database of this request. */
  readonly db?: string
}

/** A request that failed. `status` is 0 if the server did not answer. */
export class WeirError extends Error {
  /** HTTP status code; 0 if the server did not answer. */
  readonly status: number
  /** Error code of the server: docs/errors.md lists them. */
  readonly code: number | undefined
  /** Seconds to wait before a retry, as the server's `Retry-After` says. */
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
  /** Query parameters of the URL; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: string | URLSearchParams
  readonly type?: string
  /** Whether a retry is safe when it is unknown whether the request arrived: true for requests that change nothing. */
  readonly repeatable: boolean
}

export type Send = (path: string, sending: Sending) => Promise<Response>

/**
 * Returns a function that sends requests. A request answered with 429 or 503 is retried after the time in `Retry-After`, or else with
 * exponential backoff; a request without an answer is retried only if it is `repeatable`. Rejects with WeirError, or with the reason of
 * an aborted signal.
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
      await wait(failure.retryAfter === undefined ? backoff(attempt) : failure.retryAfter * 1000, signal)
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
    // A proxy's error body may not be the server's JSON.
  }
  return new WeirError(text || `the server answers ${status}`, status, undefined, retryAfter)
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Milliseconds before a retry: exponential backoff from 250 ms to 30 s, with jitter so that clients do not retry at the same time. */
function backoff(attempt: number): number {
  return Math.min(30_000, 250 * 2 ** attempt) * (0.5 + Math.random())
}

/** The longest delay of a timer in milliseconds; `setTimeout` fires at once for a longer one. */
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

/** Yields the text of a body in chunks; leaving the loop early aborts the request. */
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
