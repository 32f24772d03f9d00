// A disk that fills up and is emptied again, and one that cannot be written at all: in a mount namespace of the server's own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { type ServerProcess, serverFolder, sql, startProcess } from './server.ts'

const allowed = spawnSync('unshare', ['-Urm', 'true']).status === 0
const skip = allowed ? false : 'needs unshare -Urm'

const body = Array.from({ length: 200 }, (_, i) => JSON.stringify({ i, text: 'x'.repeat(500) })).join('\n')

async function ingest(server: ServerProcess): Promise<Response> {
  const response = await fetch(`${server.url}/v1/ingest?table=logs&pipeline_name=svc_identity`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body
  })
  await response.clone().arrayBuffer()
  return response
}

function statement(server: ServerProcess, text: string): Promise<Response> {
  return fetch(`${server.url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql: text }) })
}

t.test('a full disk refuses writes and nothing else, and takes them again when there is room', { skip }, async t => {
  const dir = serverFolder(t)
  mkdirSync(join(dir, 'data'))
  const mount = `mount -t tmpfs -o size=24m tmpfs ${join(dir, 'data')} && exec "$@"`
  const server = await startProcess(t, dir, { through: ['unshare', '-Urm', 'sh', '-c', mount, 'sh'] })
  // Seen from outside, the mount is below the process's own root.
  const ballast = `/proc/${server.pid}/root${join(dir, 'data', 'ballast')}`
  writeFileSync(ballast, Buffer.alloc(8 << 20))
  let answered = 0
  let refused: Response | undefined
  for (let i = 0; i < 500 && refused === undefined; i++) {
    const response = await ingest(server)
    if (response.status === 200) answered += 200
    else refused = response
  }
  t.equal(refused?.status, 503)
  t.ok(refused?.headers.get('retry-after'), 'says when to come again')
  t.match(await refused?.text(), /no space left on device/i)
  t.same(await sql(server, 'SELECT count(*) FROM logs'), [[answered]], 'reads go on, every answered row is there')
  const create = sql(server, 'CREATE TABLE more (ts TIMESTAMP TIME INDEX)')
  await create.catch(error => t.match(String(error), /catalog|no space|full/i))
  rmSync(ballast)
  t.equal((await ingest(server)).status, 200, 'writes resume')
  t.same(await sql(server, 'SELECT count(*) FROM logs'), [[answered + 200]])
  await sql(server, "ADMIN flush_table('logs')")
  t.same(await sql(server, 'SELECT count(*), count(DISTINCT i) FROM logs'), [[answered + 200, 200]])
})

/** Starts the process with its data folder mounted read-only. */
function readOnly(data: string): readonly string[] {
  const mount = `mount --bind ${data} ${data} && mount -o remount,ro,bind ${data} && exec "$@"`
  return ['unshare', '-Urm', 'sh', '-c', mount, 'sh']
}

t.test('a folder that cannot be written is read, and written once it can be', { skip }, async t => {
  const dir = serverFolder(t)
  const data = join(dir, 'data')
  const first = await startProcess(t, dir)
  t.equal((await ingest(first)).status, 200)
  await sql(first, "ADMIN flush_table('logs')")
  t.equal((await ingest(first)).status, 200)
  // Its query process has the folder that it makes for itself at its start.
  t.same(await sql(first, 'SELECT 1'), [[1]])
  await first.kill('SIGKILL')
  const before = readdirSync(data, { recursive: true })

  const server = await startProcess(t, dir, { through: readOnly(data) })
  t.same(await sql(server, 'SELECT count(*) FROM logs'), [[400]], 'rows of files and log are read')
  t.equal((await fetch(`${server.url}/ready`)).status, 200)
  t.match(await (await fetch(`${server.url}/metrics`)).text(), 'svc_storage_read_only 1')
  for (const refused of [
    await ingest(server),
    await statement(server, 'CREATE TABLE more (ts TIMESTAMP TIME INDEX)')
  ]) {
    t.equal(refused.status, 503)
    t.equal(refused.headers.get('retry-after'), '1')
    t.match(await refused.text(), /cannot write to the folder .*read-only file system.*reads go on/)
  }
  t.same(readdirSync(data, { recursive: true }), before, 'nothing was touched')

  const inside = ['-t', String(server.pid), '-U', '-m', '--preserve-credentials']
  spawnSync('nsenter', [...inside, 'mount', '-o', 'remount,rw,bind', data])
  const end = Date.now() + 20_000
  let status = 503
  while (status === 503 && Date.now() < end) {
    await setTimeout(200)
    status = (await ingest(server)).status
  }
  t.equal(status, 200, 'writes resume')
  t.same(await sql(server, 'SELECT count(*) FROM logs'), [[600]])
  t.match(await (await fetch(`${server.url}/metrics`)).text(), 'svc_storage_read_only 0')
  await server.kill('SIGKILL')
  const again = await startProcess(t, dir)
  t.same(await sql(again, 'SELECT count(*) FROM logs'), [[600]])
})

t.test('a folder that cannot be written and holds nothing stops the start with one clear line', { skip }, async t => {
  const dir = serverFolder(t)
  const data = join(dir, 'data')
  mkdirSync(data)
  await t.rejects(startProcess(t, dir, { through: readOnly(data) }), {
    message: /weir: cannot write to the folder .*read-only/
  })
})
