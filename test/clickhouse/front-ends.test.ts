// Two front ends over one ClickHouse under mixed load: every answered row is there once, whoever is asked; nothing fails that a client cannot repeat.
import t from 'tap'
import { eventually } from '../eventually.ts'
import { askSql, startServer, type TestServer } from '../helpers.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(280_000)

const pipeline = `processors:
  - dissect:
      fields: [message]
      patterns: ['%{host} %{text}']
transform:
  - fields: [host, text]
    type: string
  - field: ts
    type: epoch, ms
    index: timestamp
`

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\nrefresh_interval = "1s"\n`
  const servers = [await startServer(t, toml), await startServer(t, toml)] as const
  const answered = [0, 0]
  /** Writes of both race for tables and columns: those that may be repeated are. */
  const write = async (server: TestServer, at: number, n: number) => {
    const column = `c${n % 5}`
    const payload = `mixed,writer=w${at} v=${n},${column}=${n}i ${1_000_000 + n}`
    for (let attempt = 1; ; attempt++) {
      const { statusCode, headers, body } = await server.main.inject({
        method: 'POST',
        url: '/v1/lineproto/write?precision=ms',
        payload
      })
      if (statusCode === 204) break
      const mayRepeat = [429, 503].includes(statusCode) && headers['retry-after'] !== undefined
      if (!mayRepeat || attempt === 10) return t.fail(`${statusCode} ${body}`)
    }
    answered[at]!++
  }
  const read = (server: TestServer) =>
    askSql(server, 'SELECT writer, count() FROM mixed GROUP BY writer ORDER BY writer').catch((error: Error) => {
      // Until somebody wrote there is no table.
      if (!/not found/i.test(error.message)) t.fail(error.message)
    })
  for (let round = 0; round < 15; round++) {
    const work = servers.flatMap((server, at) => [
      ...Array.from({ length: 4 }, (_, i) => write(server, at, round * 4 + i)),
      read(server)
    ])
    await Promise.all(work)
  }
  t.strictSame(answered, [60, 60])
  for (const server of servers) {
    await eventually(
      async () =>
        JSON.stringify(
          await askSql(server, 'SELECT writer, count(), sum(v), count(c0) FROM mixed GROUP BY writer ORDER BY writer')
        ),
      rows =>
        rows ===
        JSON.stringify([
          ['w0', 60, 1770, 12],
          ['w1', 60, 1770, 12]
        ])
    )
  }
  const [one, two] = servers
  const made = await one.main.inject({
    method: 'POST',
    url: '/v1/pipelines/shared',
    headers: { 'content-type': 'application/x-yaml' },
    payload: pipeline
  })
  t.equal(made.statusCode, 200, made.body)
  await eventually(async () => (await two.main.inject('/v1/pipelines/shared')).statusCode === 200)
  const sent = await two.main.inject({
    method: 'POST',
    url: '/v1/ingest?table=lines&pipeline_name=shared',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify([{ message: 'a hello', ts: 5 }])
  })
  t.equal(sent.statusCode, 200, sent.body)
  await eventually(async () => JSON.stringify(await askSql(one, 'SELECT host, text FROM lines')) === '[["a","hello"]]')
})
