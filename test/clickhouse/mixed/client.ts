// A well-behaved client: repeats requests that may be repeated, at another front end, after the delay it was told.
import { setTimeout as pause } from 'node:timers/promises'

export interface Target {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

export interface Outcome {
  readonly status: number
  readonly text: string
  /** Times it was sent. */
  readonly tries: number
  /** Attempts that failed without an answer; their outcome is unknown. */
  readonly broken: number
  /** Answers that told the client to come again, by status. */
  readonly refused: ReadonlyMap<number, number>
}

/** Milliseconds until a request that may be repeated is given up. */
const longest = 120_000

/** `urls` are those of the front ends at this moment; the request begins at number `first` of them. */
export async function send(urls: () => readonly string[], target: Target, first: number): Promise<Outcome> {
  const refused = new Map<number, number>()
  const until = performance.now() + longest
  let broken = 0
  for (let tries = 1; ; tries++) {
    const all = urls()
    try {
      const { path, headers = {}, body } = target
      const response = await fetch(all[(first + tries - 1) % all.length]! + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(60_000)
      })
      const text = await response.text()
      const { status } = response
      const wait = Number(response.headers.get('retry-after') ?? 0)
      if (![429, 503].includes(status) || wait <= 0 || performance.now() > until)
        return { status, text, tries, broken, refused }
      refused.set(status, (refused.get(status) ?? 0) + 1)
      await pause(wait * 1000)
    } catch (error) {
      if (performance.now() > until) return { status: 0, text: reason(error), tries, broken, refused }
      // Nobody listens there: nothing was sent.
      if (reason(error) !== 'ECONNREFUSED') broken++
      await pause(200)
    }
  }
}

function reason(error: unknown): string {
  const { cause, message } = error as { readonly cause?: { readonly code?: string }; readonly message: string }
  return cause?.code ?? message
}
