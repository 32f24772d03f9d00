// Starts a server for tests of the event collector.
import type { Test } from 'tap'
import { askSql, startServer, type TestServer } from '../../helpers.ts'

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
  const sql = (text: string, database = db) => askSql({ main }, text, { db: database, user: 'alice:pw' })
  return { main, send, sql }
}
