// Reads server-sent events.
export interface SseEvent {
  readonly name: string
  readonly data: unknown
}

export interface SseClient {
  readonly status: number
  readonly headers: Headers
  /** The next event, heartbeats as `heartbeat`; undefined after the last one. */
  next(): Promise<SseEvent | undefined>
  /** Rows until there are so many; other events go to `others`. */
  rows(count: number): Promise<unknown[][]>
  readonly others: SseEvent[]
  close(): void
}

export async function openEvents(url: string, init: RequestInit = {}): Promise<SseClient> {
  const abort = new AbortController()
  const response = await fetch(url, { ...init, signal: abort.signal })
  const events = readEvents(response.body!)
  const others: SseEvent[] = []
  const next = async () => (await events.next().catch(() => ({ value: undefined }))).value as SseEvent | undefined
  return {
    status: response.status,
    headers: response.headers,
    next,
    others,
    async rows(count) {
      const rows: unknown[][] = []
      while (rows.length < count) {
        const event = await next()
        if (event === undefined) break
        if (event.name === 'rows') rows.push(...(event.data as { rows: unknown[][] }).rows)
        else others.push(event)
      }
      return rows
    },
    close: () => abort.abort()
  }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = parts.pop()!
    for (const part of parts) yield readEvent(part)
  }
}

function readEvent(text: string): SseEvent {
  if (text.startsWith(':')) return { name: 'heartbeat', data: text }
  const [name, data, ...more] = text.split('\n')
  if (!name?.startsWith('event: ') || !data?.startsWith('data: ') || more.length > 0)
    throw new Error(`no event: ${text}`)
  return { name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) }
}
