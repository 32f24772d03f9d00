// A server that events are sent to.
import type { Test } from 'tap'
import { startServer, type TestServer } from '../../helpers.ts'

export const base = '/v1/eventcollector/services/collector'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  return { ...server, ...clientOf(server, 'public') }
}

/** Sends to one database of a server. */
export function clientOf({ main }: Pick<TestServer, 'main'>, db: string) {
  const send = async (path: string, payload: string | Buffer, own: Record<string, string> = {}) => {
    const headers = { 'x-svc-db-name': db, ...own }
    const answer = await main.inject({ method: 'POST', url: base + path, payload, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  const sql = async (text: string, database = db) => {
    const url = `/v1/sql?db=${database}&sql=${encodeURIComponent(text)}`
    const authorization = `Basic ${Buffer.from('alice:pw').toString('base64')}`
    const answer = await main.inject({ method: 'GET', url, headers: { authorization } })
    const { output, error } = answer.json()
    if (output === undefined) throw new Error(error)
    return output[0].records?.rows ?? output[0]
  }
  return { main, send, sql }
}
