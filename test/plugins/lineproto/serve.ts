// A server with what the tests of lines send it.
import type { Test } from 'tap'
import { startServer } from '../../helpers.ts'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const post = async (path: string, payload: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await server.main.inject({ method: 'POST', url: `/v1/lineproto/${path}`, payload, headers })
    return { status: answer.statusCode, body: answer.body, headers: answer.headers }
  }
  const write = (lines: string | Buffer, query = '', headers: Record<string, string> = {}) =>
    post(`write${query}`, lines, headers)
  const sql = async (text: string, db = 'public') => {
    const url = `/v1/sql?db=${db}&sql=${encodeURIComponent(text)}`
    const answer = await server.main.inject({ method: 'GET', url })
    const { output, error } = answer.json()
    if (output === undefined) throw new Error(error)
    return output[0].records?.rows ?? output[0]
  }
  return { ...server, post, write, sql }
}
