// A server that lines are pushed to.
import type { Test } from 'tap'
import { encodeSnappy } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'
import { type TestStream, writeJsonPush, writeProtobuf } from './messages.ts'

export const path = '/v1/logpush/api/v1/push'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  const send = async (payload: string | Buffer, headers: Record<string, string> = {}, query = '') => {
    const answer = await server.main.inject({ method: 'POST', url: `${path}${query}`, payload, headers })
    const isJson = /json/.test(String(answer.headers['content-type']))
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : answer.body }
  }
  const pushJson = (streams: readonly TestStream[], headers = {}, query = '') =>
    send(writeJsonPush(streams), { 'content-type': 'application/json', ...headers }, query)
  const pushProtobuf = (streams: readonly TestStream[], headers = {}, query = '') =>
    send(
      Buffer.from(encodeSnappy(writeProtobuf(streams))),
      { 'content-type': 'application/x-protobuf', ...headers },
      query
    )
  const sql = async (text: string, db = 'public') => {
    const url = `/v1/sql?db=${db}&sql=${encodeURIComponent(text)}`
    const answer = (await server.main.inject({ method: 'GET', url })).json()
    if (answer.output === undefined) throw new Error(answer.error)
    return answer.output[0].records?.rows ?? answer.output[0]
  }
  return { ...server, send, pushJson, pushProtobuf, sql }
}
