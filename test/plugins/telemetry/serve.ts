// Starts a server for tests of OTLP, and sends it requests.
import type { Test } from 'tap'
import { askSql, databaseMaker, startServer } from '../../helpers.ts'
import { readPartial, readStatus } from './proto.ts'

type Signal = 'metrics' | 'traces' | 'logs'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const post = async (signal: Signal, body: Uint8Array | string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await server.main.inject({
      method: 'POST',
      url: `/v1/telemetry/v1/${signal}`,
      payload: typeof body === 'string' ? body : Buffer.from(body),
      headers: { 'content-type': 'application/x-protobuf', ...headers }
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.rawPayload }
  }
  const database = databaseMaker(server)
  /** A database of its own, so that tests can share the server. */
  const fresh = async () => {
    const db = await database()
    return {
      ...server,
      db,
      /** Sends protobuf and throws unless it is taken; what is not is in the answer. */
      async send(signal: Signal, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
        const answer = await post(signal, body, { 'x-svc-db-name': db, ...headers })
        if (answer.status !== 200) throw new Error(readStatus(answer.body).message)
        return readPartial(answer.body)
      },
      /** Rows as arrays. */
      sql: (text: string) => askSql(server, text, { db }),
      async promql(text: string, time: number) {
        const url = `/v1/metricsys/api/v1/query?db=${db}&time=${time}&query=${encodeURIComponent(text)}`
        return (await server.main.inject({ method: 'GET', url })).json().data.result
      }
    }
  }
  return { ...server, post, fresh }
}
