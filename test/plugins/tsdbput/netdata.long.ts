// Netdata's exporter, which only knows one path: a proxy adds the prefix.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { findProgram, needing } from '../../programs.ts'

/** Passes requests on with another path; counts the answers by status. */
async function proxy(t: Test, port: number) {
  const statuses = new Map<number, number>()
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming
    const onward = request({ host: '127.0.0.1', port, method, headers, path: `/v1/tsdbput${url}` }, answer => {
      statuses.set(answer.statusCode!, (statuses.get(answer.statusCode!) ?? 0) + 1)
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  t.teardown(() => server.close().closeAllConnections())
  return { port: (server.address() as { port: number }).port, statuses }
}

function startNetdata(t: Test, folder: string, port: number): void {
  for (const name of ['config', 'cache', 'lib', 'log', 'plugins', 'web']) mkdirSync(join(folder, name))
  const directories = ['config', 'cache', 'lib', 'log', 'plugins', 'web'].map(name => `${name} = ${join(folder, name)}`)
  directories.push(`stock config = ${join(folder, 'config')}`)
  writeFileSync(
    join(folder, 'netdata.conf'),
    `[global]
run as user = ${userInfo().username}
[directories]
${directories.join('\n')}
[db]
mode = ram
update every = 1
[web]
mode = none
[ml]
enabled = no
[health]
enabled = no
`
  )
  writeFileSync(
    join(folder, 'config', 'exporting.conf'),
    `[exporting:global]
enabled = yes
[opentsdb:http:test]
enabled = yes
destination = 127.0.0.1:${port}
update every = 1
send charts matching = system.load system.ram
`
  )
  const child = spawn(findProgram('netdata')!, ['-D', '-c', join(folder, 'netdata.conf'), '-P', join(folder, 'pid')], {
    stdio: 'ignore'
  })
  t.teardown(() => child.kill('SIGKILL'))
}

t.test('netdata exports to us', needing('netdata'), async t => {
  const { main } = await startServer(t)
  const { port, statuses } = await proxy(t, (main.server.address() as { port: number }).port)
  startNetdata(t, temporaryFolder(t), port)
  const rows = async (sql: string) => {
    const answer = await main.inject({ method: 'GET', url: `/v1/sql?sql=${encodeURIComponent(sql)}` })
    return answer.json().output?.[0].records?.rows as unknown[][] | undefined
  }
  let tables: string[] = []
  for (const end = Date.now() + 60_000; Date.now() < end && tables.length === 0; ) {
    await new Promise(resolve => setTimeout(resolve, 300))
    tables = ((await rows('SHOW TABLES')) ?? []).map(([name]) => String(name)).filter(name => name.endsWith('.load1'))
  }
  t.match(tables.join(), /^netdata\.system\.load\.load1$/)
  t.ok(statuses.get(204), 'points are answered with success; before there are any it sends empty lists')
  const found = await rows(`SELECT host, svc_value >= 0, svc_timestamp > now() - INTERVAL '1 hour' FROM "${tables[0]}"`)
  t.ok(found!.length > 0)
  t.same(found![0]!.slice(1), [true, true])
})
