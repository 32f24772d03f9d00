import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { startServer, type TestServer, temporaryFolder } from '../../helpers.ts'

interface File {
  readonly path: string
  readonly bytes: number
  readonly checksum: number
}

async function ingest({ main }: TestServer, authorization?: string): Promise<void> {
  const response = await main.inject({
    method: 'POST',
    url: '/v1/ingest?table=logs&pipeline_name=svc_identity',
    headers: { 'content-type': 'application/x-ndjson', ...(authorization && { authorization }) },
    payload: Array.from({ length: 50 }, (_, i) => JSON.stringify({ line: i, text: `line ${i}` })).join('\n')
  })
  t.equal(response.statusCode, 200)
}

t.test('a backup is begun, fetched file by file from any offset, and ended', async t => {
  const server = await startServer(t)
  const { main } = server
  await ingest(server)
  const begun = await main.inject({ method: 'POST', url: '/admin/backup' })
  t.equal(begun.statusCode, 201)
  const place = String(begun.headers.location)
  t.match(place, /^\/admin\/backup\/[0-9a-f-]{36}$/)
  const files = begun.json().files as File[]
  t.ok(files.some(file => /^data\/.*\.parquet$/.test(file.path)))

  for (const [i, file] of files.entries()) {
    const whole = await main.inject(`${place}/${i}`)
    t.equal(whole.statusCode, 200)
    t.strictSame([whole.rawPayload.length, crc32(whole.rawPayload)], [file.bytes, file.checksum], file.path)
    const from = file.bytes - 3
    const rest = await main.inject({ url: `${place}/${i}`, headers: { range: `bytes=${from}-` } })
    t.match(rest, {
      statusCode: 206,
      headers: { 'content-range': `bytes ${from}-${file.bytes - 1}/${file.bytes}`, 'content-length': '3' }
    })
    t.same(rest.rawPayload, whole.rawPayload.subarray(from))
    const beyond = await main.inject({ url: `${place}/${i}`, headers: { range: `bytes=${file.bytes}-` } })
    t.equal(beyond.statusCode, 416)
  }
  for (const url of [`${place}/${files.length}`, `${place}/x`, '/admin/backup/none/0']) {
    t.equal((await main.inject(url)).statusCode, 404, url)
  }
  t.equal((await main.inject({ method: 'DELETE', url: place })).statusCode, 204)
  const after = await main.inject(`${place}/0`)
  t.match(after, { statusCode: 404 })
  t.match(after.json().error, /there is no backup .*: it has ended, begin again/)
})

t.test('it takes a user who may read and write, and no page of another origin', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'users'), 'mia=plum\nro:ro=see\nwo:wo=put\n')
  const server = await startServer(t, `user_provider = "static_user_provider:file:${join(folder, 'users')}"`)
  const { main } = server
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  await ingest(server, basic('mia:plum'))
  const begin = (headers: Record<string, string> = {}) => main.inject({ method: 'POST', url: '/admin/backup', headers })
  const refused = await begin()
  t.equal(refused.statusCode, 401)
  t.match(refused.headers['www-authenticate'], /^Basic/)
  t.equal((await begin({ authorization: basic('mia:no') })).statusCode, 401)
  t.equal((await begin({ authorization: basic('ro:see') })).statusCode, 403)
  t.equal((await begin({ authorization: basic('wo:put') })).statusCode, 403)
  const begun = await begin({ authorization: basic('mia:plum') })
  t.equal(begun.statusCode, 201)
  const url = `${begun.headers.location}/0`
  t.equal((await main.inject(url)).statusCode, 401)
  t.equal((await main.inject({ url, headers: { authorization: basic('ro:see') } })).statusCode, 403)
  t.equal((await main.inject({ url, headers: { authorization: basic('mia:plum') } })).statusCode, 200)
  const origin = 'http://elsewhere.example'
  t.equal((await begin({ authorization: basic('mia:plum'), origin })).statusCode, 403)
  t.equal((await main.inject('/status')).statusCode, 200, 'other routes still need no user')
})

t.test('there is a limit to backups, however many are asked for at once', async t => {
  const { main } = await startServer(t, '[plugins.admin]\nmax_backups = 2')
  const begin = () => main.inject({ method: 'POST', url: '/admin/backup' })
  const answers = await Promise.all(Array.from({ length: 5 }, begin))
  const begun = answers.filter(({ statusCode }) => statusCode === 201)
  t.equal(begun.length, 2)
  const refused = answers.find(({ statusCode }) => statusCode === 429)!
  t.equal(refused.headers['retry-after'], '600')
  t.match(refused.json(), { error: /^2 backups are under way \(plugins.admin.max_backups\)/ })
  t.match((await main.inject('/metrics')).body, /^svc_admin_backups_running 2$/m)
  await main.inject({ method: 'DELETE', url: String(begun[0]!.headers.location) })
  t.equal((await begin()).statusCode, 201)
})

t.test('a backup nobody fetches from ends by itself', async t => {
  const { main } = await startServer(t, '[plugins.admin]\nbackup_idle = "100ms"')
  const running = async () => Number(/^svc_admin_backups_running (\d)/m.exec((await main.inject('/metrics')).body)?.[1])
  const begun = await main.inject({ method: 'POST', url: '/admin/backup' })
  while ((await running()) > 0) await sleep(20)
  t.equal((await main.inject({ method: 'DELETE', url: String(begun.headers.location) })).statusCode, 404)
})
