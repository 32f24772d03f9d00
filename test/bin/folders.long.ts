// Commands on data: checked and repaired folders, and a backup that is killed, taken up again, verified and restored.
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type ServerProcess, serverFolder, sql, startProcess } from '../process/server.ts'

const entry = join(import.meta.dirname, '../../bin/weir.js')

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(args: readonly string[], input = ''): { child: ChildProcess; outcome: Promise<Outcome> } {
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
  const child = execFile(process.execPath, [entry, ...args], (_error, out, err) =>
    resolve({ code: child.exitCode, out, err })
  )
  child.stdin!.end(input)
  return { child, outcome }
}

const weir = (...args: string[]) => run(args).outcome

interface Load {
  readonly table?: string
  readonly authorization?: string
}

async function ingest(server: ServerProcess, from: number, count: number, load: Load = {}): Promise<void> {
  const { table = 'lines', authorization } = load
  const lines = Array.from({ length: count }, (_, i) => JSON.stringify({ n: from + i, text: `line ${from + i}` }))
  const response = await fetch(`${server.url}/v1/ingest?table=${table}&pipeline_name=svc_identity`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...(authorization !== undefined && { authorization }) },
    body: lines.join('\n')
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`the rows were not taken: ${response.status}`)
}

t.test('storage check and repair', async t => {
  const dir = serverFolder(t)
  const config = join(dir, 'weir.toml')
  let server = await startProcess(t, dir)
  await ingest(server, 0, 100)
  await sql(server, `ADMIN flush_table('lines')`)
  await ingest(server, 100, 100)
  const busy = await weir('storage', 'check', '--config', config)
  t.match(busy, { code: 1, out: '', err: /another process holds it; stop that server/ })
  await server.kill('SIGKILL')

  const sound = await weir('storage', 'check', '--data-home', join(dir, 'data'))
  t.match(sound, { code: 0, err: '', out: /1 data files with 100 rows, \d+ log segments with \d+ records: sound\n$/ })

  const [file] = globSync('data/data/**/*.parquet', { cwd: dir })
  const path = join(dir, file!)
  const bytes = readFileSync(path)
  bytes[77]! ^= 1
  writeFileSync(path, bytes)
  const damaged = await weir('storage', 'check', '--config', config)
  t.match(damaged, { code: 1, err: '', out: /: 1 damages\n$/ })
  t.match(damaged.out, `damage: ${path} at byte 77: the file does not match its checksum`)

  const planned = await weir('storage', 'repair', '--config', config)
  t.match(planned, { code: 1, out: /What a repair would do:\n {2}.*moved away.*\n\nNothing was changed/ })
  t.same(readFileSync(path), bytes)
  const repaired = await weir('storage', 'repair', '--yes', '--config', config)
  t.match(repaired, { code: 0, out: /what is replaced goes to .*\/lost\+found\/\d{14}:\n[\s\S]*: sound\n$/ })
  const [kept] = readdirSync(join(dir, 'data/lost+found'))
  t.ok(existsSync(join(dir, 'data/lost+found', kept!, file!.slice('data/'.length))), 'the file is kept')
  server = await startProcess(t, dir)
  const [[rows]] = (await sql(server, 'SELECT count(*) FROM lines')) as [[number]]
  t.equal(rows, repaired.out.includes('still in the log') ? 200 : 100)
  await server.kill('SIGTERM')
  t.match(await weir('storage', 'check', '--data-home', join(dir, 'none')), { code: 1, err: /is not a data folder/ })
})

t.test('a backup under load is killed, taken up again, verified and restored', async t => {
  const dir = serverFolder(t, 'user_provider = "static_user_provider:cmd:mia=plum"\n')
  const config = join(dir, 'weir.toml')
  writeFileSync(config, orderedConfig(readFileSync(config, 'utf8')))
  const authorization = `Basic ${Buffer.from('mia:plum').toString('base64')}`
  const server = await startProcess(t, dir)
  const ask = async (at: ServerProcess, statement: string) => {
    const body = new URLSearchParams({ sql: statement })
    const response = await fetch(`${at.url}/v1/sql`, { method: 'POST', headers: { authorization }, body })
    const json = (await response.json()) as { output: { records?: { rows: number[][] } }[] }
    return json.output[0]?.records?.rows
  }
  // A table each, so that their files are not merged.
  for (let i = 0; i < 12; i++) await ingest(server, i * 100, 100, { table: `old_${i}`, authorization })
  const load = new AbortController()
  const loading = (async () => {
    for (let n = 10_000; !load.signal.aborted; n += 50) await ingest(server, n, 50, { authorization })
  })()

  const slow = await slowProxy(t, server.url)
  const copy = join(dir, 'copy')
  const args = ['backup', 'create', '--url', slow, '--user', 'mia', '--password-stdin', copy]
  const first = run(args, 'plum\n')
  while (globSync('**/*.parquet', { cwd: copy }).length < 3) await new Promise(resolve => setTimeout(resolve, 20))
  first.child.kill('SIGKILL')
  await first.outcome
  t.notOk(existsSync(join(copy, 'manifest.json')))
  t.match(await weir('backup', 'verify', copy), {
    code: 1,
    err: /manifest\.json is missing: the backup was never finished/
  })

  const [[answered]] = (await ask(server, 'SELECT count(*) FROM lines')) as [[number]]
  const second = await run(args.with(3, server.url), 'plum\n').outcome
  t.match(second, { code: 0, err: /copying .*%, / })
  const [, files, copied] = /: (\d+) files with .*; (\d+) files with .* were copied/.exec(second.out) ?? []
  t.ok(Number(copied) < Number(files), `${copied} of ${files} files were copied the second time`)
  load.abort()
  await loading
  t.match(await run(args.with(3, server.url), 'no\n').outcome, { code: 1, err: /answered 401/ })
  t.equal(await server.kill('SIGTERM'), 0)

  t.match(await weir('backup', 'verify', copy), { code: 0, out: /: sound\n$/ })
  const home = join(dir, 'restored')
  t.match(await weir('backup', 'restore', copy, '--data-home', home), { code: 0, out: /restored to/ })
  t.match(await weir('storage', 'check', '--data-home', home), { code: 0, out: /: sound\n$/ })
  t.match(await weir('backup', 'restore', copy, '--data-home', home), { code: 1, err: /is not empty/ })

  writeFileSync(config, readFileSync(config, 'utf8').replace(join(dir, 'data'), home))
  const again = await startProcess(t, dir)
  const [[rows, distinct]] = (await ask(again, 'SELECT count(*), count(DISTINCT n) FROM lines')) as [[number, number]]
  t.ok(rows >= answered, `${rows} rows restored, ${answered} were answered before`)
  t.equal(rows, distinct, 'every row once')
  for (let i = 0; i < 12; i++) {
    const count = `SELECT count(*), count(DISTINCT n) FROM old_${i} WHERE text = 'line ' || n`
    t.strictSame(await ask(again, count), [[100, 100]], `old_${i} as it was written`)
  }
  await again.kill('SIGTERM')

  const [file] = globSync('data/**/*.parquet', { cwd: copy })
  const bytes = readFileSync(join(copy, file!))
  bytes[20]! ^= 1
  writeFileSync(join(copy, file!), bytes)
  t.match(await weir('backup', 'verify', copy), {
    code: 1,
    out: `damage: ${join(copy, file!)} does not match its checksum`
  })
})

/** Keys without a table come first in TOML. */
function orderedConfig(toml: string): string {
  const [key] = /^user_provider.*\n/m.exec(toml)!
  return key + toml.replace(key, '')
}

/** Passes requests on, each file a little later, so that there is a middle to kill a copy in. */
async function slowProxy(t: Test, target: string): Promise<string> {
  const proxy = createServer((incoming, reply) => {
    const passOn = () => {
      const options = { method: incoming.method!, headers: incoming.headers }
      const outgoing = request(`${target}${incoming.url}`, options, answer => {
        reply.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(reply)
      })
      outgoing.on('error', () => reply.destroy())
      incoming.pipe(outgoing)
    }
    if (incoming.method === 'GET') setTimeout(passOn, 100)
    else passOn()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
