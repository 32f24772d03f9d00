// InfluxDB 1 as the peer: started in a folder of its own, filled with lines, asked in its own language.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export interface Influxdb {
  readonly pid: number
  write(lines: string): Promise<void>
  /** The body of the answer. */
  ask(query: string): Promise<string>
  stop(): Promise<void>
}

/** Starts the program and makes the database `fleet`. */
export async function startInfluxdb(program: string, folder: string): Promise<Influxdb> {
  const [port, other] = [await freePort(), await freePort()]
  const file = join(folder, 'influxdb.conf')
  writeFileSync(
    file,
    `reporting-enabled = false
bind-address = "127.0.0.1:${other}"
[meta]
dir = "${folder}/meta"
[data]
dir = "${folder}/data"
wal-dir = "${folder}/wal"
query-log-enabled = false
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:${port}"
log-enabled = false
`
  )
  const child = spawn(program, ['-config', file], { stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await answers(`${url}/ping`, child)
  const post = async (path: string, body: string, type: string): Promise<string> => {
    const response = await fetch(url + path, { method: 'POST', body, headers: { 'content-type': type } })
    const text = await response.text()
    if (!response.ok || text.includes('"error"')) throw new Error(`influxdb: ${response.status} ${text.slice(0, 300)}`)
    return text
  }
  const ask = (query: string) =>
    post('/query?db=fleet&epoch=ms', new URLSearchParams({ q: query }).toString(), 'application/x-www-form-urlencoded')
  await ask('CREATE DATABASE fleet')
  return {
    pid: child.pid!,
    ask,
    write: async lines => void (await post('/write?db=fleet&precision=ms', lines, 'text/plain')),
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + 60_000
  while (performance.now() < until && child.exitCode === null) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  throw new Error(`influxdb does not answer at ${url}`)
}
