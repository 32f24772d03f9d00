import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { startServer, type TestServer, temporaryFolder } from '../../helpers.ts'
import { writeV1 } from './messages.ts'

const limits = `
[limits]
max_series = 2
`

function remote({ main }: TestServer, hosts: readonly string[], time: number) {
  const series = hosts.map(host => ({ labels: { __name__: 'cpu', host }, samples: [[time, 1]] as [number, number][] }))
  const payload = Buffer.from(encodeSnappy(writeV1(series)))
  return main.inject({ method: 'POST', url: '/v1/metricsys/write', payload })
}

function lines({ main }: TestServer, hosts: readonly string[], time: number) {
  const payload = hosts.map(host => `load,host=${host} value=1 ${time}`).join('\n')
  return main.inject({ method: 'POST', url: '/v1/lineproto/write', payload })
}

function put({ main }: TestServer, hosts: readonly string[], time: number) {
  const points = hosts.map(host => ({ metric: 'sys.load', timestamp: 1_700_000_000 + time, value: 1, tags: { host } }))
  return main.inject({ method: 'POST', url: '/v1/tsdbput/api/put', payload: JSON.stringify(points) })
}

t.test('a table that has as many series as are allowed takes rows of those it has, after a restart, too', async t => {
  const folder = temporaryFolder(t)
  for (const start of [1, 2]) {
    const server = await startServer(t, limits, { folder })
    for (const send of [remote, lines, put]) {
      t.equal((await send(server, ['a', 'b'], start)).statusCode, 204, `${send.name}, start ${start}`)
      t.match(await send(server, ['a', 'c'], start), { statusCode: 400, body: /max_series/ }, 'a new one')
    }
    await server.close()
  }
})
