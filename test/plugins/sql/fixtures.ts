// Starts a server with the SQL plugin and a few tables, and sends it statements by HTTP.
import type { Test } from 'tap'
import { sharedServer, startServer } from '../../helpers.ts'

export interface Reply {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** Rows of the last statement. */
  readonly rows: unknown[][]
  readonly body: {
    readonly code?: number
    readonly error?: string
    readonly output?: {
      records?: { rows: unknown[][]; schema: { column_schemas: unknown[] } }
      affectedrows?: number
    }[]
  }
}

export type Ask = (sql: string, parameters?: Record<string, string>, headers?: Record<string, string>) => Promise<Reply>

/** Without `toml` all tests of a file share a server. */
export async function startSql(t: Test, toml = ''): Promise<{ ask: Ask; url: string }> {
  const server = await (toml === '' ? sharedServer(t) : startServer(t, toml))
  const url = server.addresses.main!
  return { ask: askServer(url), url }
}

/** Posts SQL to a server; a statement may take as long as it does on a busy machine unless a header says otherwise. */
export function askServer(url: string): Ask {
  return async (sql, parameters = {}, headers = {}) => {
    const query = new URLSearchParams(parameters)
    const response = await fetch(`${url}/v1/sql?${query}`, {
      method: 'POST',
      body: new URLSearchParams({ sql }),
      headers: { 'x-svc-timeout': '10m', ...headers }
    })
    const text = await response.text()
    const body = text.startsWith('{') ? (JSON.parse(text) as Reply['body']) : {}
    const rows = body.output?.at(-1)?.records?.rows ?? []
    return { status: response.status, text, headers: response.headers, body, rows }
  }
}

export const visits = `CREATE TABLE visits (
  site STRING, page STRING, n BIGINT DEFAULT 7, load DOUBLE, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (site)
);
INSERT INTO visits (site, page, n, load, at) VALUES
  ('north', '/a', 42, 1.5, '2024-07-01 10:00:00'), ('south', NULL, DEFAULT, -2, 1719830400000)`
