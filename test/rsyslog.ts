// Runs rsyslog, which takes messages from a socket and a file and forwards each.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { eventually } from './eventually.ts'
import { temporaryFolder } from './helpers.ts'
import { findProgram } from './programs.ts'

const run = promisify(execFile)

/**
 * Starts it as host `web1` with this `omfwd` action: `action` are its parameters. `log` hands a message to it by util-linux's logger, `append`
 * writes lines to the file that it follows as `shop`, local4.warning.
 */
export async function startRsyslog(t: Test, action: string) {
  const folder = temporaryFolder(t)
  const file = (name: string) => join(folder, name)
  writeFileSync(file('lines.log'), '')
  writeFileSync(
    file('rsyslog.conf'),
    `global(workDirectory="${folder}" localHostname="web1" net.enableDNS="off" parser.escapeControlCharactersOnReceive="off")
module(load="imuxsock" SysSock.Use="off")
module(load="imfile")
module(load="mmrm1stspace")
input(type="imuxsock" socket="${file('log')}" useSpecialParser="off" parseHostname="on")
input(type="imfile" file="${file('lines.log')}" tag="shop:" facility="local4" severity="warning")
action(type="mmrm1stspace")
action(type="omfwd" target="127.0.0.1" action.resumeRetryCount="-1" action.resumeInterval="1" ${action})
`
  )
  const args = ['-n', '-f', file('rsyslog.conf'), '-i', file('pid')]
  const child = spawn(findProgram('rsyslogd')!, args, { stdio: 'ignore' })
  const gone = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await gone
  })
  await eventually(
    async () => existsSync(file('log')),
    isThere => isThere
  )
  return {
    log: (...args: readonly string[]) =>
      run(findProgram('logger')!, ['--socket', file('log'), '--socket-errors=on', ...args]),
    append: (lines: readonly string[]) => appendFileSync(file('lines.log'), lines.map(line => `${line}\n`).join(''))
  }
}
