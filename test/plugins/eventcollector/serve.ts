// A server that events are sent to.
import type { Test } from 'tap'
import { startServer } from '../../helpers.ts'

export const base = '/v1/eventcollector/services/collector'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const send = async (path: string, payload: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await server.main.inject({ method: 'POST', url: base + path, payload, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  const sql = async (text: string, db = 'public') => {
    const url = `/v1/sql?db=${db}&sql=${encodeURIComponent(text)}`
    const authorization = `Basic ${Buffer.from('alice:pw').toString('base64')}`
    const answer = await server.main.inject({ method: 'GET', url, headers: { authorization } })
    const { output, error } = answer.json()
    if (output === undefined) throw new Error(error)
    return output[0].records?.rows ?? output[0]
  }
  return { ...server, send, sql }
}
