// Starts a server with rule files, and reads its rules and alerts.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { startServer, type TestServer, temporaryFolder } from '../../helpers.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'

export interface RulesServer extends TestServer {
  readonly file: string
  writeRules(text: string): void
  put(series: readonly TestSeries[]): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
  api(path: string): Promise<any>
}

/** `options` are keys of `[plugins.alerting]`; with `folder` the server goes on where another stopped. */
export async function serveRules(
  t: Test,
  rules: string,
  options = '',
  folder = temporaryFolder(t)
): Promise<RulesServer> {
  const file = join(folder, 'rules.yml')
  const writeRules = (text: string) => writeFileSync(file, text)
  writeRules(rules)
  const toml = `[plugins.alerting]\nrule_files = ["${join(folder, '*.yml')}"]\n${options}`
  const server = await startServer(t, toml, { folder })
  return {
    ...server,
    file,
    writeRules,
    async put(series) {
      const payload = Buffer.from(encodeSnappy(writeV1(series)))
      const reply = await server.main.inject({ method: 'POST', url: '/v1/metricsys/write', payload })
      if (reply.statusCode !== 204) throw new Error(reply.body)
    },
    async api(path) {
      const reply = await server.main.inject({ method: 'GET', url: `/v1/metricsys/api/v1/${path}` })
      const body = reply.json()
      if (body.status !== 'success') throw new Error(reply.body)
      return body.data
    }
  }
}
