// weir start: runs the server until a signal ends it.
import { dirname, resolve } from 'node:path'
import { ConfigError, locateProblems } from '../core/config/error.ts'
import { loadConfig } from '../core/config/load.ts'
import { endOnDefects } from '../core/defects.ts'
import { exitNow } from '../core/exit.ts'
import { stopOnSignals } from '../core/signals.ts'
import { countArraysWithHeap } from '../core/workers/free.ts'
import { watchHeap } from '../core/workers/heap.ts'
import { type Command, parseFlags } from './command.ts'
import { notifySystemd } from './notify.ts'

const usage = `Runs the server until SIGINT or SIGTERM ends it; SIGHUP makes it read its configuration again.

Usage: weir start [--config FILE] [--data-home DIR] [--http-addr HOST:PORT]

Options:
  -c, --config FILE        TOML file; without it every key has its default
  --data-home DIR          Folder of all local data; wins over [storage] data_home
  --http-addr HOST:PORT    Address of the main server; wins over [http] addr
  -h, --help               Show this text

Environment variables WEIR__SECTION__KEY win over the file, options over both.`

export const start: Command = {
  usage,
  async run(args) {
    const { values } = parseFlags(args, {
      config: { type: 'string', short: 'c' },
      'data-home': { type: 'string' },
      'http-addr': { type: 'string' }
    })
    const { config: file, 'data-home': data_home, 'http-addr': addr } = values
    const load = () =>
      loadConfig({
        file,
        env: process.env,
        overrides: { storage: { data_home }, http: { addr } },
        overridesFrom: 'command line'
      })
    const { config, locate } = load()
    const folder = file === undefined ? process.cwd() : dirname(resolve(file))
    // Registered first, because a container's process 1 ignores signals without a listener.
    const signals = stopOnSignals(config.http.shutdown_grace)
    const defects = endOnDefects(folder)
    // SIGHUP during the start (log rotation, changed file) must not end the process.
    let isHungUp = false
    const hangup = () => {
      isHungUp = true
    }
    process.on('SIGHUP', hangup)
    countArraysWithHeap()
    watchHeap('server')
    // Imported late, so that a wrong flag or file is reported without loading the server.
    const [{ start: startServer }, { followConfig }, { catalogue }] = await Promise.all([
      import('../core/start.ts'),
      import('../core/follow.ts'),
      import('../plugins/index.ts')
    ])
    try {
      const running = await startServer(config, catalogue, { folder, locate, signal: signals.signal })
      signals.follow(running)
      defects.follow(running)
      followConfig(running, file, () => load().config)
      notifySystemd(running.core.log)
      process.off('SIGHUP', hangup)
      if (isHungUp) process.emit('SIGHUP')
    } catch (error) {
      if (signals.signal.aborted) exitNow(0)
      throw error instanceof ConfigError ? locateProblems(error, locate) : error
    }
  }
}
