// Runs syslog-ng, which follows a file and sends each line by HTTP.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from './helpers.ts'
import { findProgram } from './programs.ts'

/** Starts it on these lines of RFC 5424; `destination` is the driver with its options, `options` are more global ones. */
export function startSyslogNg(t: Test, lines: readonly string[], destination: string, options = ''): void {
  const folder = temporaryFolder(t)
  const file = (name: string) => join(folder, name)
  writeFileSync(file('lines.log'), lines.map(line => `${line}\n`).join(''))
  writeFileSync(
    file('syslog-ng.conf'),
    `@version: 3.38
options { keep-hostname(yes); stats-freq(0); ${options} };
source lines { file("${file('lines.log')}" flags(syslog-protocol) follow-freq(0.2)); };
destination server { ${destination} };
log { source(lines); destination(server); };
`
  )
  const names = { '-f': 'syslog-ng.conf', '-R': 'persist', '-c': 'control', '--pidfile': 'pid' }
  const args = ['-F', '--no-caps', ...Object.entries(names).flatMap(([option, name]) => [option, file(name)])]
  const child = spawn(findProgram('syslog-ng')!, args, { stdio: 'ignore' })
  const gone = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await gone
  })
}
