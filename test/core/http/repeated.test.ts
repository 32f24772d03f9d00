// Headers that may have one value only: a request that brings two is refused, whichever comes first.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import { startServer } from '../../helpers.ts'

const basic = (text: string) => `Basic ${btoa(text)}`

/** One request with these header lines; resolves with the whole answer. */
async function send(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  socket.write(
    `GET /v1/sql?sql=SELECT+1 HTTP/1.1\r\n${lines.map(line => `${line}\r\n`).join('')}connection: close\r\n\r\n`
  )
  let answer = ''
  socket.on('data', text => {
    answer += text
  })
  await once(socket, 'close')
  return answer
}

t.test('a repeated header that decides something is refused, a list in several parts is not', async t => {
  const { main } = await startServer(t, 'user_provider = "static_user_provider:cmd:a=b,c=d"\n')
  const { port } = main.server.address() as AddressInfo
  const user = `authorization: ${basic('a:b')}`
  const other = `Authorization: ${basic('c:d')}`
  const refused: Record<string, readonly string[]> = {
    host: ['host: localhost', 'Host: evil.example', user],
    authorization: ['host: localhost', user, other],
    origin: ['host: localhost', user, 'origin: http://localhost', 'origin: http://localhost'],
    'content-type': ['host: x', user, 'content-type: text/plain', 'content-type: application/json'],
    'sec-fetch-site': ['host: localhost', user, 'sec-fetch-site: same-origin', 'sec-fetch-site: cross-site'],
    'x-svc-auth': ['host: x', `x-svc-auth: ${basic('a:b')}`, `X-Svc-Auth: ${basic('c:d')}`],
    'x-svc-db-name': ['host: x', user, 'x-svc-db-name: public', 'x-svc-db-name: other'],
    'x-svc-hint-ttl': ['host: x', user, 'x-svc-hint-ttl: 1d', 'x-svc-hint-ttl: 2d']
  }
  for (const [name, lines] of Object.entries(refused)) {
    for (const order of [lines, lines.toReversed()]) {
      const answer = await send(port, order)
      t.match(answer, /^HTTP\/1\.1 400 /, name)
      t.match(answer, `header ${name} may be sent once only`)
    }
  }
  for (const lines of [
    ['x-svc-hints: ttl=1d', 'x-svc-hints: append_mode=true'],
    [
      'accept: text/plain',
      'accept: */*',
      'x-forwarded-for: 10.0.0.1',
      'x-forwarded-for: 10.0.0.2',
      'cookie: a=b',
      'cookie: c=d'
    ]
  ])
    t.match(await send(port, ['host: x', user, ...lines]), /^HTTP\/1\.1 200 /, lines.join())
})
