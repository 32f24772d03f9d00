// The notifications that systemd gets. A stand-in for systemd-notify records its arguments.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { serverFolder, startProcess } from '../process/server.ts'

t.test('a unit of Type=notify learns that the server is ready, alive, and about to stop', async t => {
  const dir = serverFolder(t)
  const told = join(dir, 'told')
  writeFileSync(join(dir, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${told}\n`, { mode: 0o755 })
  const env = { PATH: `${dir}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/none', WATCHDOG_USEC: '200000' }
  writeFileSync(told, '')
  const server = await startProcess(t, dir, { env })
  const lines = await eventually<string[]>(
    async () => readFileSync(told, 'utf8').trim().split('\n'),
    lines => lines.length >= 3
  )
  t.strictSame(lines.slice(0, 3), [`--ready MAINPID=${server.pid}`, 'WATCHDOG=1', 'WATCHDOG=1'])
  t.equal(await server.kill('SIGTERM'), 0)
  t.match(readFileSync(told, 'utf8'), /^STOPPING=1$/m)
})
