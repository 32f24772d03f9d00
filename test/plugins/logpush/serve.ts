// Starts a server for tests of log push.

import type { Test } from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { askSql, startServer, type TestServer } from '../../helpers.ts'
import { type TestStream, writeJsonPush, writeProtobuf } from './messages.ts'

export const path = '/v1/logpush/api/v1/push'

export async function serve(t: Test, toml = '') {
  const server = await startServer(t, toml)
  return { ...server, ...clientOf(server, 'public') }
}

/** Pushes to one database of a server. */
export function clientOf({ main }: Pick<TestServer, 'main'>, db: string) {
  const send = async (payload: string | Buffer, own: Record<string, string> = {}, query = '') => {
    const headers = { 'x-svc-db-name': db, ...own }
    const answer = await main.inject({ method: 'POST', url: `${path}${query}`, payload, headers })
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
  const sql = (text: string, database = db) => askSql({ main }, text, { db: database })
  return { main, send, pushJson, pushProtobuf, sql }
}
