// Starts a server with a table of log lines, and sends it log queries.
import type { Test } from 'tap'
import { startServer, type TestServer } from '../../helpers.ts'
import { type Ask, askServer } from '../sql/fixtures.ts'

export interface LogReply {
  readonly status: number
  readonly code: number | undefined
  readonly error: string
  readonly names: readonly string[]
  readonly types: readonly string[]
  readonly rows: unknown[][]
}

export type AskLogs = (query: unknown, options?: { readonly headers?: Record<string, string> }) => Promise<LogReply>

export interface LogServer {
  readonly server: TestServer
  readonly url: string
  readonly sql: Ask
  readonly logs: AskLogs
}

export async function startLogs(t: Test, toml = ''): Promise<LogServer> {
  const server = await startServer(t, toml)
  const url = server.addresses.main
  return { server, url, sql: askServer(url), logs: askLogs(url) }
}

export function askLogs(url: string): AskLogs {
  return async (query, { headers = {} } = {}) => {
    const body = typeof query === 'string' ? query : JSON.stringify(query)
    const response = await fetch(`${url}/v1/logs`, { method: 'POST', body, headers })
    return readReply(response)
  }
}

interface Body {
  readonly code?: number
  readonly error?: string
  readonly output?: readonly {
    readonly records: {
      readonly schema: { readonly column_schemas: readonly { readonly name: string; readonly data_type: string }[] }
      readonly rows: unknown[][]
    }
  }[]
}

export async function readReply(response: Response): Promise<LogReply> {
  const { code, error = '', output } = (await response.json()) as Body
  const { schema, rows = [] } = output?.[0]?.records ?? {}
  const columns = schema?.column_schemas ?? []
  return {
    status: response.status,
    code,
    error,
    names: columns.map(({ name }) => name),
    types: columns.map(({ data_type }) => data_type),
    rows
  }
}

/** Ten lines, a minute from each other, from noon of 2024-07-01 on. */
export const weblog = `CREATE TABLE weblog (
  at TIMESTAMP(3) TIME INDEX, host STRING, level STRING, message STRING FULLTEXT INDEX, status INT, took DOUBLE,
  ok BOOLEAN, attributes JSON, PRIMARY KEY (host)
) WITH (append_mode = 'true');
INSERT INTO weblog VALUES
  ('2024-07-01 12:00:00', 'a', 'info', 'started', 200, 0.5, true, '{"user":{"id":7},"name":"mia"}'),
  ('2024-07-01 12:01:00', 'b', 'info', 'started', 200, 1.5, true, NULL),
  ('2024-07-01 12:02:00', 'a', 'error', 'connection reset by peer', 500, 30, false, NULL),
  ('2024-07-01 12:03:00', 'b', 'warn', 'slow: 100%_done', 200, 12.25, true, NULL),
  ('2024-07-01 12:04:00', 'a', 'INFO', 'retry of connection', 302, 0.125, true, '{"name":"leo"}'),
  ('2024-07-01 12:05:00', 'b', 'error', 'timeout after 30 s', 504, 30.0, false, NULL),
  ('2024-07-01 12:06:00', 'a', NULL, 'no level', 200, NULL, NULL, NULL),
  ('2024-07-01 12:07:00', 'b', 'debug', NULL, NULL, 1, true, NULL),
  ('2024-07-01 12:08:00', 'a', 'info', 'Connection closed', 200, 2, true, NULL),
  ('2024-07-01 12:09:00', 'b', 'info', 'stopped', 200, 3, true, NULL);`

/** Milliseconds of the line of a minute. */
export const minute = (n: number) => Date.UTC(2024, 6, 1, 12, n)
