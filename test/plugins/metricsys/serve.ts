// Starts a server for tests of metrics, and sends it samples.

import type { Test } from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { askSql, sharedServer, startServer } from '../../helpers.ts'
import { readQueries, readResults, type TestMatcher } from './messages.ts'

const writtenHeaders = ['samples', 'histograms', 'exemplars'].map(kind => `x-prometheus-remote-write-${kind}-written`)

/** Without `toml` all tests of a file share a server. */
export async function serve(t: Test, toml = '') {
  const server = await (toml === '' ? sharedServer(t) : startServer(t, toml))
  const post = async (path: string, body: Uint8Array, headers: Record<string, string> = {}) => {
    const answer = await server.main.inject({
      method: 'POST',
      url: `/v1/metricsys/${path}`,
      payload: Buffer.from(body),
      headers
    })
    return {
      status: answer.statusCode,
      body: answer.body,
      raw: answer.rawPayload,
      headers: answer.headers,
      written: writtenHeaders.map(name => answer.headers[name])
    }
  }
  const write = (body: Uint8Array, headers = {}, query = '') => post(`write${query}`, encodeSnappy(body), headers)
  const read = async (matchers: readonly TestMatcher[], from = 0, to = 10_000_000) => {
    const answer = await post('read', readQueries([{ from, to, matchers }]))
    return readResults(answer.raw)[0]!
  }
  const sql = (text: string, db = 'public') => askSql(server, text, { db })
  return { ...server, post, write, read, sql }
}
