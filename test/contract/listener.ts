// The contract of listeners: on a real port, rows are stored, refusals are counted, and the shutdown loses nothing.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { lookEverywhere, type RowsFound, rowsOf } from './kept.ts'
import type { ContractTest } from './plugin.ts'
import type { TestServer } from './server.ts'

export interface ContractListener {
  /** Its table among the options of the plugin; the kit sets `addr` there. */
  readonly name: string
  readonly transport: 'tcp' | 'udp'
  /** What stores rows: all that one connection brings, or one datagram. */
  readonly good: string | Uint8Array
  /** What is refused, and counted as refused or skipped under the name of the plugin. Absent: there is nothing such. */
  readonly bad?: string | Uint8Array
}

/** Milliseconds a listener may take for anything. */
const patience = 10_000

/** `boot` starts the server with this TOML behind the table of the plugin, in a folder that may have data already. */
export async function listenerContract(
  t: ContractTest,
  plugin: string,
  listener: ContractListener,
  boot: (toml: string, folder?: string) => Promise<TestServer>
): Promise<void> {
  const { name, good, bad } = listener
  const toml = `[plugins.${JSON.stringify(plugin)}.${name}]\naddr = "127.0.0.1:0"\n`
  const store = async (server: TestServer) => {
    await send(server, plugin, listener, good)
    t.ok(await comes(async () => print(await rowsOf(server.core)) !== ''), 'what is good is stored')
  }
  await t.test(`${plugin}.${name} and the rows it stores`, async t => {
    let first: RowsFound | undefined
    await lookEverywhere({
      boot: folder => boot(toml, folder),
      write: store,
      look(when, rows) {
        if (first !== undefined) t.equal(print(rows), print(first), `the same rows ${when}`)
        first ??= rows
      }
    })
  })

  await t.test(`${plugin}.${name} at the stop`, async t => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-stop-'))
    try {
      const server = await boot(toml, folder)
      await send(server, plugin, listener, good)
      await server.close()
      const next = await boot(toml, folder)
      const found = print(await rowsOf(next.core))
      await next.close()
      t.ok(found !== '', 'what had arrived is stored')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  if (bad === undefined) return
  await t.test(`${plugin}.${name} and what is wrong`, async t => {
    const server = await boot(toml)
    try {
      await send(server, plugin, listener, bad)
      t.ok(await comes(() => isCounted(server, plugin)), 'what is refused is counted under the name of the plugin')
      await store(server)
    } finally {
      await server.discard()
    }
  })
}

/** Resolves when the server has it all. */
async function send(
  server: TestServer,
  plugin: string,
  { name, transport }: ContractListener,
  bytes: string | Uint8Array
): Promise<void> {
  const port = server.listeners.get(`${plugin}.${name}`)?.port
  if (port === undefined) throw new Error(`${plugin} opens no listener ${name}`)
  const data = Buffer.from(bytes)
  const before = await received(server, plugin, name)
  if (transport === 'tcp') {
    // A refusal may end the connection before all is written.
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.resume().end(data)
  } else {
    const socket = createSocket('udp4')
    socket.send(data, port, '127.0.0.1')
    await once(socket, 'listening')
    void comes(async () => (await received(server, plugin, name)) > before).finally(() => socket.close())
  }
  if (!(await comes(async () => (await received(server, plugin, name)) >= before + data.length)))
    throw new Error(`${plugin}.${name} did not take ${data.length} bytes within ${patience} ms`)
}

function received(server: TestServer, plugin: string, name: string): Promise<number> {
  return sumOf(server, `svc_listener_received_bytes_total{plugin="${plugin}",listener="${name}"}`)
}

async function isCounted(server: TestServer, plugin: string): Promise<boolean> {
  const counters = ['svc_refused_total', 'svc_items_skipped_total', 'svc_listener_dropped_total']
  const values = await Promise.all(counters.map(counter => sumOf(server, `${counter}{plugin="${plugin}"`)))
  return values.some(value => value > 0)
}

/** The sum of all lines that begin so. */
async function sumOf({ core }: TestServer, start: string): Promise<number> {
  const lines = (await core.metrics.expose()).split('\n').filter(line => line.startsWith(start))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

async function comes(is: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + patience; performance.now() < end; await pause(10)) if (await is()) return true
  return false
}

function print(rows: RowsFound): string {
  return Object.entries(rows)
    .map(([table, lines]) => (lines === '' ? '' : `${table}\n${lines}\n`))
    .sort()
    .join('')
}
