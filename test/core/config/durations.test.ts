// Every duration of the configuration may be years.
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { TSchema } from 'typebox'
import type { SchemaNode } from '../../../core/config/read.ts'
import { configSchema } from '../../../core/config/schema.ts'
import { catalogue } from '../../../plugins/index.ts'
import { askSql, startServer } from '../../helpers.ts'

/** Tables of TOML with every key of this unit set to the same text. */
function tables(node: SchemaNode, path: readonly string[], text: string): string {
  const keys = Object.entries(node.properties ?? {})
  const own = keys.filter(([, child]) => child.unit === 'duration').map(([key]) => `${key} = "${text}"\n`)
  const inner = keys.filter(([, child]) => child.properties !== undefined)
  const heading = path.length === 0 || own.length === 0 ? '' : `[${path.join('.')}]\n`
  return `${heading}${own.join('')}${inner.map(([key, child]) => tables(child, [...path, key], text)).join('')}`
}

for (const text of ['30days', '10years', '900years'])
  t.test(`every duration is ${text}`, async t => {
    const plugins = await Promise.all(
      Object.entries(catalogue).map(async ([name, load]) => {
        const { config } = (await load()).default as { config: SchemaNode }
        return tables(config, ['plugins', name], text)
      })
    )
    const top = `enable_telemetry = true\nwrite_bytes_exhausted_policy = "wait(${text})"\n`
    const toml = `${top}${tables(configSchema as TSchema as SchemaNode, [], text)}${plugins.join('')}`.replace(
      '[wal]\n',
      '[wal]\nsync = "interval"\n'
    )
    t.match(toml, /self_interval/)
    t.match(toml, /sync_interval/)
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    t.teardown(() => process.off('warning', warn))
    const server = await startServer(t, toml)
    await askSql(server, 'CREATE TABLE a (ts TIMESTAMP TIME INDEX, v DOUBLE)')
    await askSql(server, "INSERT INTO a VALUES ('2026-01-01 00:00:00', 1)")
    const headers = { 'x-svc-timeout': text }
    const answers = await Promise.all([
      server.main.inject({ url: '/v1/promql?query=vector(1)&start=0&end=1&step=1&timeout=5y', headers }),
      server.main.inject({ url: '/v1/sql?sql=SELECT+*+FROM+a', headers })
    ])
    for (const { statusCode, body } of answers) t.equal(statusCode, 200, body)
    await sleep(300)
    const looks = await askSql(
      server,
      "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'svc_private'"
    )
    t.ok(looks[0][0] < 5, 'nothing runs again and again')
    t.strictSame(
      warnings.filter(({ name }) => name === 'TimeoutOverflowWarning'),
      []
    )
  })
