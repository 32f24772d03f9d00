// Reports the server's state to systemd for units of Type=notify. An external program sends the datagrams, because Node has no Unix datagram
// sockets.
import { spawn } from 'node:child_process'
import type { Logger } from '../core/log/log.ts'
import { every } from '../core/timer.ts'

/** Reports that the server is ready, and then that it is alive, twice per WatchdogSec. Does nothing outside of systemd. */
export function notifySystemd(log: Logger, env: NodeJS.ProcessEnv = process.env): void {
  if (!env['NOTIFY_SOCKET']) return
  send(log, '--ready', `MAINPID=${process.pid}`)
  const microseconds = Number(env['WATCHDOG_USEC'])
  const isOurs = env['WATCHDOG_PID'] === undefined || env['WATCHDOG_PID'] === String(process.pid)
  // If the event loop hangs, no report is sent and systemd restarts the server.
  if (microseconds > 0 && isOurs) every(microseconds / 2000, () => send(log, 'WATCHDOG=1')).unref()
  process.once('SIGTERM', () => send(log, 'STOPPING=1'))
}

function send(log: Logger, ...args: readonly string[]): void {
  spawn('systemd-notify', args, { stdio: 'ignore' })
    .on('error', error => log.warn({ error: error.message }, 'systemd-notify cannot be run'))
    .on('exit', code => code !== 0 && log.warn({ code, args }, 'systemd-notify failed'))
    .unref()
}
