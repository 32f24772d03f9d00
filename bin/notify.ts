// Tells systemd how the server is, where a unit of Type=notify started it. The datagrams are sent by its own program: Node has no such sockets.
import { spawn } from 'node:child_process'
import type { Logger } from '../core/log/log.ts'
import { every } from '../core/timer.ts'

/** Says that the server is ready, and then that it is alive, twice in each WatchdogSec; a no-op outside of systemd. */
export function notifySystemd(log: Logger, env: NodeJS.ProcessEnv = process.env): void {
  if (!env['NOTIFY_SOCKET']) return
  send(log, '--ready', `MAINPID=${process.pid}`)
  const microseconds = Number(env['WATCHDOG_USEC'])
  const isOurs = env['WATCHDOG_PID'] === undefined || env['WATCHDOG_PID'] === String(process.pid)
  // An event loop that stands still says nothing, and systemd starts the server anew.
  if (microseconds > 0 && isOurs) every(microseconds / 2000, () => send(log, 'WATCHDOG=1')).unref()
  process.once('SIGTERM', () => send(log, 'STOPPING=1'))
}

function send(log: Logger, ...args: readonly string[]): void {
  spawn('systemd-notify', args, { stdio: 'ignore' })
    .on('error', error => log.warn({ error: error.message }, 'systemd-notify cannot be run'))
    .on('exit', code => code !== 0 && log.warn({ code, args }, 'systemd-notify failed'))
    .unref()
}
