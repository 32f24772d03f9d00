// Starts a server for tests of line protocol, and sends it lines.
import type { Test } from 'tap'
import { askSql, startServer, type TestServer } from '../../helpers.ts'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  return { ...server, ...clientOf(server, '') }
}

/** Sends to one database of a server; '' leaves it to the requests. */
export function clientOf({ main }: Pick<TestServer, 'main'>, db: string) {
  const named = db === '' ? '' : `db=${db}`
  const post = async (path: string, payload: string | Buffer, headers: Record<string, string> = {}) => {
    const url = `/v1/lineproto/${path}${named && (path.includes('?') ? '&' : '?')}${named}`
    const answer = await main.inject({ method: 'POST', url, payload, headers })
    return { status: answer.statusCode, body: answer.body, headers: answer.headers }
  }
  const write = (lines: string | Buffer, query = '', headers: Record<string, string> = {}) =>
    post(`write${query}`, lines, headers)
  const sql = (text: string, database = db || 'public') => askSql({ main }, text, { db: database })
  return { post, write, sql }
}
