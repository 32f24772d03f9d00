// Many requests on one connection before the first answer.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { OneByOne } from '../../../core/http/one-by-one.ts'
import { eventually } from '../../eventually.ts'
import { startServer } from '../../helpers.ts'

const head = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

async function serve(t: Test, handle: RequestListener) {
  const sockets: Socket[] = []
  const server = createServer(handle).on('connection', socket => sockets.push(socket))
  const requests = new OneByOne()
  requests.serve(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  client.on('error', () => {})
  let answered = ''
  client.on('data', text => {
    answered += text
  })
  t.teardown(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { client, requests, sockets, answered: () => answered }
}

t.test('requests are answered in their order, one at a time, and each in a round of its own', async t => {
  let [round, running, most] = [0, 0, 0]
  let isOn = true
  const count = () => {
    round++
    if (isOn) setImmediate(count)
  }
  count()
  t.teardown(() => {
    isOn = false
  })
  const rounds = new Set<number>()
  const { client, answered } = await serve(t, async (request, response) => {
    most = Math.max(most, ++running)
    rounds.add(round)
    if (request.url === '/20') await new Promise(resolve => setTimeout(resolve, 20))
    const body: Buffer[] = []
    for await (const part of request) body.push(part)
    running--
    response.end(`<${request.url}${Buffer.concat(body)}>`)
  })
  client.write(Array.from({ length: 1_000 }, (_, i) => head(`/${i}`)).join(''))
  client.write('POST /last HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n-b')
  await eventually(() => answered().includes('</999>'))
  client.write(`od${head('/after')}`)
  await eventually(() => answered().includes('</after>'))
  const paths = Array.from(answered().matchAll(/<\/(.+?)>/g), ([, path]) => path)
  t.strictSame(paths, [...Array(1_000).keys(), 'last-bod', 'after'].map(String))
  t.equal(most, 1)
  t.equal(rounds.size, 1_002)
})

t.test('while a request is answered, those behind it are not read without end', async t => {
  let end: () => void = () => {}
  const { client, sockets, requests, answered } = await serve(t, (request, response) => {
    request.resume()
    if (request.url === '/first') end = () => response.end('<first>')
    else response.end('<other>')
  })
  client.write(head('/first'))
  const others = head('/other').repeat(300_000)
  client.write(others)
  await eventually(() => requests.isAnswering(sockets[0]!))
  await new Promise(resolve => setTimeout(resolve, 300))
  t.ok(sockets[0]!.bytesRead < 1 << 20, `${sockets[0]!.bytesRead} of ${others.length} bytes are read`)
  end()
  await eventually(() => answered().split('<other>').length > 3_000)
  t.ok(sockets[0]!.bytesRead < 4 << 20, 'as many as are answered, and those of one packet')
})

t.test('a client that leaves takes its waiting requests with it', async t => {
  let handled = 0
  const { client, sockets } = await serve(t, () => {
    handled++
  })
  client.write(head('/').repeat(50))
  await eventually(() => handled === 1)
  const closed = once(sockets[0]!, 'close')
  client.destroy()
  await closed
  await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(handled, 1)
})

t.test('what is no request is refused as everything is, and counted', async t => {
  const server = await startServer(t, '[http]\nmax_header_size = "8KiB"')
  const ask = async (text: string) => {
    const client = connect(Number(new URL(server.addresses.main).port), '127.0.0.1').setEncoding('latin1')
    client.on('error', () => {})
    let answer = ''
    client.on('data', part => {
      answer += part
    })
    client.write(text)
    await once(client, 'close')
    return answer
  }
  const both = 'POST /v1/sql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'
  const answer = await ask(both)
  t.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
  t.match(JSON.parse(answer.slice(answer.indexOf('{'))), {
    code: 1004,
    error: /^not a valid HTTP\/1\.1 request: .*Transfer-Encoding/i
  })
  const long = await ask(`GET /v1/health HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(9_000)}\r\n\r\n`)
  t.match(long, /^HTTP\/1\.1 431 .*more than 8192 bytes \(http\.max_header_size\)/s)
  const { body } = await server.main.inject('/metrics')
  t.match(body, 'svc_refused_total{plugin="core",code="InvalidArguments"} 2')
  const pending = await ask(
    `GET /v1/sql?sql=${encodeURIComponent('SELECT count(*) FROM range(30000) a, range(30000) b')} HTTP/1.1\r\nhost: x\r\n\r\nnonsense\r\n\r\n`
  )
  t.notMatch(pending, '400 Bad Request', 'it would be taken for the answer to the request before it')
})
