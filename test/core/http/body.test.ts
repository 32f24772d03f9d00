import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as pause, setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { Type } from 'typebox'
import { acceptForms, definePlugin } from '../../../core/index.ts'
import { startServer } from '../../helpers.ts'

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const echo = definePlugin({
  name: 'echo',
  prefix: '/v1/echo',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    const answer = async ({ body }: { body: unknown }) =>
      Buffer.isBuffer(body) ? { length: body.length, digest: digest(body) } : { body: body ?? null }
    app.post('', answer)
    app.post('/raw', { config: { rawBody: true } }, answer)
  }
})

const form = definePlugin({
  name: 'form',
  prefix: '/v1/form',
  servers: ['main'],
  config: Type.Object({}),
  routes(app) {
    acceptForms(app)
    app.post('', async ({ body }) => ({ bytes: Buffer.isBuffer(body), body: body ?? null }))
  }
})

const limit = 100 * 1024
const text = Buffer.from('a line of a log that compresses well\n'.repeat(2000))

t.test('bodies', async t => {
  const { main, addresses } = await startServer(t, '[http]\nbody_limit = "100KiB"', { plugins: [echo, form] })
  const post = (payload: Buffer, headers: Record<string, string> = {}, url = '/v1/echo') =>
    main.inject({ method: 'POST', url, payload, headers })

  t.test('reach the route as bytes, whatever their content type', async t => {
    for (const type of ['application/json', 'text/plain', 'application/x-protobuf', 'x/y; charset=utf-8']) {
      const response = await post(Buffer.from('{"broken'), { 'content-type': type })
      t.match(response.json(), { length: 8 }, type)
    }
    const response = await fetch(`${addresses.main}/v1/echo`, { method: 'POST', body: new Uint8Array([1, 2, 3]) })
    t.match(await response.json(), { length: 3 }, 'none')
  })

  t.test('stay whole for whoever hands them over without a connection', async t => {
    const body = Buffer.alloc(64 * 1024, 'x')
    for (let i = 0; i < 2; i++) t.match((await post(body, {}, '/v1/echo/raw')).json(), { digest: digest(body) })
    t.equal(body.length, 64 * 1024)
    const sent = await fetch(`${addresses.main}/v1/echo/raw`, { method: 'POST', body: new Uint8Array(body) })
    t.match(await sent.json(), { digest: digest(body) }, 'and reach the route through one')
  })

  t.test('are undefined when empty', async t => {
    t.strictSame((await post(Buffer.alloc(0), { 'content-type': 'application/json' })).json(), { body: null })
    t.strictSame((await post(Buffer.alloc(0))).json(), { body: null })
  })

  t.test('are bytes when they say they are forms, as everything does that curl sends', async t => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    t.match((await post(Buffer.from('one line'), type)).json(), { length: 8 })
  })

  t.test('are records where a plugin accepts forms', async t => {
    const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const sent = Buffer.from('sql=SELECT+1&a=%C3%A9&a=2&b=5%')
    const read = { bytes: false, body: { sql: 'SELECT 1', a: ['é', '2'], b: '5%' } }
    t.strictSame((await post(sent, type, '/v1/form')).json(), read)
    const packed = await post(gzipSync(sent), { ...type, 'content-encoding': 'gzip' }, '/v1/form')
    t.strictSame(packed.json(), read, 'packed')
    const streamed = await fetch(`${addresses.main}/v1/form`, {
      method: 'POST',
      body: new Blob([sent]).stream(),
      headers: type,
      duplex: 'half'
    } as RequestInit)
    t.strictSame(await streamed.json(), read, 'in chunks')
    t.match((await post(Buffer.from('x'), { 'content-type': 'text/plain' }, '/v1/form')).json(), { bytes: true })
  })

  t.test('are within the limits as forms, too', async t => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const bomb = gzipSync(Buffer.alloc(5_000_000, 'a'))
    for (const response of [
      await post(Buffer.alloc(limit + 1, 'a'), type, '/v1/form'),
      await post(bomb, { ...type, 'content-encoding': 'gzip' }, '/v1/form')
    ]) {
      t.equal(response.statusCode, 413)
      t.match(response.json(), { error: /102400 bytes \(http\.body_limit\)/ })
    }
  })

  t.test('are inflated', async t => {
    const packed: Record<string, Buffer> = {
      gzip: gzipSync(text),
      'x-gzip': gzipSync(text),
      deflate: deflateSync(text),
      br: brotliCompressSync(text),
      zstd: zstdCompressSync(text),
      identity: text,
      'gzip, zstd': zstdCompressSync(gzipSync(text))
    }
    for (const [encoding, payload] of Object.entries(packed)) {
      const response = await post(payload, { 'content-encoding': encoding })
      t.strictSame(response.json(), { length: text.length, digest: digest(text) }, encoding)
    }
    const bare = await post(deflateRawSync(text), { 'content-encoding': 'deflate' })
    t.match(bare.json(), { length: text.length }, 'deflate without a header')
  })

  t.test('are left alone where the route decodes them itself', async t => {
    const payload = gzipSync(text)
    t.match((await post(payload, { 'content-encoding': 'gzip' }, '/v1/echo/raw')).json(), { length: payload.length })
    t.match((await post(payload, { 'content-encoding': 'snappy' }, '/v1/echo/raw')).json(), { length: payload.length })
  })

  t.test('of an unknown encoding are refused with 415 and the known ones', async t => {
    const response = await post(text, { 'content-encoding': 'snappy' })
    t.equal(response.statusCode, 415)
    t.match(response.json(), { code: 1001, error: /snappy.*gzip, deflate, br, zstd, identity/ })
  })

  t.test('that are broken or cut off are refused with 400', async t => {
    for (const [encoding, packed] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['zstd', zstdCompressSync(text)]
    ] as const) {
      for (const payload of [Buffer.from('plain text, not packed'), packed.subarray(0, packed.length - 9)]) {
        const response = await post(payload, { 'content-encoding': encoding })
        t.equal(response.statusCode, 400, encoding)
        t.match(response.json(), { code: 1004, error: new RegExp(`the body is not valid ${encoding}`) })
      }
    }
  })

  t.test('over the limit are refused with 413, the limit, what came and the key', async t => {
    const large = Buffer.alloc(limit + 1)
    const refused = async (response: { statusCode?: number; status?: number; json(): unknown }, received: RegExp) => {
      t.equal(response.statusCode ?? response.status, 413)
      t.match(await response.json(), { code: 1004, error: /102400 bytes \(http\.body_limit\)/ })
      t.match(await response.json(), { error: received })
    }
    await refused(await post(large), /102401 bytes announced/)
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync]
    ] as const) {
      const payload = pack(Buffer.alloc(5_000_000))
      await refused(await post(payload, { 'content-encoding': encoding }), /bytes received/)
    }
    t.match((await post(Buffer.alloc(limit))).json(), { length: limit }, 'exactly the limit is taken')
  })

  t.test('over the limit are refused while they stream, and the answer is read', async t => {
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 20; i++) controller.enqueue(new Uint8Array(10_000))
        controller.close()
      }
    })
    const response = await fetch(`${addresses.main}/v1/echo`, { method: 'POST', body, duplex: 'half' } as RequestInit)
    t.equal(response.status, 413)
    t.match(await response.json(), { error: /bytes received so far/ })
  })

  t.test('with a content type that is none are refused with 415', async t => {
    const response = await post(text, { 'content-type': 'nonsense' })
    t.equal(response.statusCode, 415)
    t.match(response.json(), { code: 1004 })
  })
})

t.test('a limit of 0 sets none', async t => {
  const { main } = await startServer(t, '[http]\nbody_limit = 0', { plugins: [echo] })
  const payload = gzipSync(Buffer.alloc(80 << 20))
  const headers = { 'content-encoding': 'gzip' }
  const response = await main.inject({ method: 'POST', url: '/v1/echo', payload, headers })
  t.match(response.json(), { length: 80 << 20 })
})

t.test('too many bytes at once are refused with 429', async t => {
  const toml = 'max_in_flight_write_bytes = "2KiB"\nwrite_bytes_exhausted_policy = "fail"'
  const { main, addresses } = await startServer(t, toml, { plugins: [echo] })
  const post = (length: number) => main.inject({ method: 'POST', url: '/v1/echo', payload: Buffer.alloc(length) })
  t.equal((await post(700)).statusCode, 200)
  const refused = await post(7000)
  t.equal(refused.statusCode, 429)
  t.match(refused.json(), { code: 6001, error: /Request body memory limit exceeded/ })
  t.equal(refused.headers['retry-after'], '1')
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(7000))
      controller.close()
    }
  })
  const chunked = await fetch(`${addresses.main}/v1/echo`, { method: 'POST', body, duplex: 'half' } as RequestInit)
  t.equal(chunked.status, 429, 'chunked ones too')
  t.equal((await post(2000)).statusCode, 200, 'the memory was given back')
  t.equal((await main.inject('/v1/health')).statusCode, 200, 'requests without a body are never limited')
})

t.test('bodies that are announced and do not come keep nobody waiting', async t => {
  const { main, addresses } = await startServer(t, 'max_in_flight_write_bytes = "1MiB"', { plugins: [echo] })
  const { hostname, port } = new URL(addresses.main)
  const head = `POST /v1/echo HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 900000\r\n\r\nfirst`
  const sockets = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const socket = createConnection({ host: hostname, port: Number(port) })
      await once(socket, 'connect')
      socket.write(head)
      return socket
    })
  )
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const answer = await main.inject({ method: 'POST', url: '/v1/echo', payload: Buffer.alloc(900_000) })
  t.equal(answer.statusCode, 200)
})

t.test('inflating bodies wait for memory step by step: many bombs take no more than one beyond the limit', async t => {
  const { core, addresses } = await startServer(
    t,
    'max_in_flight_write_bytes = "20MiB"\nwrite_bytes_exhausted_policy = "wait(10m)"\n[http]\ntimeout = "10m"',
    { plugins: [echo] }
  )
  const body = zstdCompressSync(Buffer.alloc(16 << 20))
  let most = 0
  const used = async () => {
    const samples = await core.metrics.samples()
    most = Math.max(most, samples.find(({ name }) => name === 'svc_servers_request_memory_in_use_bytes')!.value)
  }
  let running = true
  const watching = (async () => {
    for (; running; await pause(1)) await used()
  })()
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const headers = { 'content-encoding': 'zstd' }
      const answer = await fetch(`${addresses.main}/v1/echo`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      return answer.status
    })
  )
  running = false
  await watching
  t.strictSame([...new Set(statuses)], [200])
  t.ok(most > 16 << 20 && most <= 36 << 20, `${most >> 20} MiB`)
})

t.test('content that is inflated in steps is the same, and what follows its end is refused', async t => {
  const { main } = await startServer(t, '', { plugins: [echo] })
  const content = randomBytes(3 << 20)
  // The best a coding can do takes seconds of a content that is random.
  const brotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotli, zstd: zstdCompressSync }
  for (const [coding, compress] of Object.entries(codings)) {
    const compressed = compress(content)
    const headers = { 'content-encoding': coding }
    const post = (payload: Buffer) => main.inject({ method: 'POST', url: '/v1/echo', payload, headers })
    t.match((await post(compressed)).json(), { length: content.length }, coding)
    t.equal((await post(Buffer.concat([compressed, Buffer.from('more')]))).statusCode, 400, coding)
    t.equal((await post(compressed.subarray(0, -9))).statusCode, 400, coding)
  }
  const members = Buffer.concat([gzipSync(content), gzipSync(content)])
  const both = await main.inject({
    method: 'POST',
    url: '/v1/echo',
    payload: members,
    headers: { 'content-encoding': 'gzip' }
  })
  t.match(both.json(), { length: 2 * content.length })
})

t.test('an inflating body that gets no memory in time is refused with 429', async t => {
  const toml = 'max_in_flight_write_bytes = "4MiB"\nwrite_bytes_exhausted_policy = "fail"'
  const { main } = await startServer(t, toml, { plugins: [echo] })
  for (const [coding, payload] of [
    ['zstd', zstdCompressSync(Buffer.alloc(16 << 20))],
    ['gzip', gzipSync(Buffer.alloc(16 << 20))]
  ] as const) {
    const answer = await main.inject({
      method: 'POST',
      url: '/v1/echo',
      payload,
      headers: { 'content-encoding': coding }
    })
    t.match([answer.statusCode, answer.body], [429, /max_in_flight_write_bytes/], coding)
  }
})

t.test('clients that leave while their bodies wait for room leave all of it to others', async t => {
  const server = await startServer(t, 'max_in_flight_write_bytes = "8MiB"')
  const url = `${server.addresses.main}/v1/ingest?table=t&pipeline_name=svc_identity`
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'zstd' }
  const body = zstdCompressSync(Buffer.alloc(6 << 20, 0x20))
  const inUse = async () =>
    /^svc_servers_request_memory_in_use_bytes (\d+)/m.exec((await server.main.inject('/metrics')).body)?.[1]
  for (let round = 0; round < 3; round++) {
    const gone = new AbortController()
    const asked = Array.from({ length: 30 }, () =>
      fetch(url, { method: 'POST', body, headers, signal: gone.signal }).catch(() => {})
    )
    while ((await inUse()) === '0') await sleep(1)
    await sleep(20 * round)
    gone.abort()
    await Promise.all(asked)
  }
  while ((await inUse()) !== '0') await sleep(20)
  const answer = await fetch(url, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/x-ndjson' }
  })
  t.equal(answer.status, 200)
})
