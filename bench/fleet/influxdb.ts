// InfluxDB 1 as the peer: started in a folder of its own, filled with lines, asked in its own language.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, freePort } from '../server.ts'

export interface Influxdb {
  readonly pid: number
  write(lines: string): Promise<void>
  /** The body of the answer. */
  ask(query: string): Promise<string>
  stop(): Promise<void>
}

/** Returns the file's name. `other` is a port for what nobody asks here. */
export function writeInfluxdbConfig(folder: string, port: number, other: number): string {
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
  return file
}

/** Starts the program and makes the database `fleet`. */
export async function startInfluxdb(program: string, folder: string): Promise<Influxdb> {
  const [port, other] = [await freePort(), await freePort()]
  const file = writeInfluxdbConfig(folder, port, other)
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
