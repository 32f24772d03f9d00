// Starts a server with a few metrics, and sends requests to its query API by GET and by form.
import type { Test } from 'tap'
import { writeV1 } from './messages.ts'
import { serve } from './serve.ts'

export interface ApiReply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  readonly body: any
}

const rooms = writeV1(
  [
    { labels: { __name__: 'temp', room: 'kitchen' }, samples: [0, 1, 2, 3].map(i => [i * 15_000, 20 + i] as const) },
    { labels: { __name__: 'temp', room: 'bath' }, samples: [0, 1, 2, 3].map(i => [i * 15_000, 18] as const) },
    {
      labels: { __name__: 'hits_total', room: 'kitchen', 'a.b': 'c' },
      samples: [
        [0, 1],
        [60_000, 7]
      ]
    }
  ],
  [
    { metric: 'temp', type: 2, help: 'How warm it is.', unit: 'celsius' },
    { metric: 'hits_total', type: 1, help: 'Hits.' }
  ]
)

export async function serveRooms(t: Test, toml = '') {
  const server = await serve(t, toml)
  await server.write(rooms)
  const call = async (method: 'GET' | 'POST', path: string, parameters = '', headers: Record<string, string> = {}) => {
    const url = `/v1/metricsys/api/v1/${path}`
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await server.main.inject(
      method === 'GET'
        ? { method, url: `${url}?${parameters}`, headers }
        : { method, url, payload: parameters, headers: { ...form, ...headers } }
    )
    const isJson = reply.headers['content-encoding'] === undefined
    const body = isJson ? reply.json() : reply.rawPayload
    return { status: reply.statusCode, headers: reply.headers, body } satisfies ApiReply
  }
  const get = (path: string, parameters?: string, headers?: Record<string, string>) =>
    call('GET', path, parameters, headers)
  const post = (path: string, parameters?: string, headers?: Record<string, string>) =>
    call('POST', path, parameters, headers)
  return { ...server, get, post }
}
