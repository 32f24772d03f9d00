// Latency of PromQL while data keeps coming, in several states, beside Prometheus and VictoriaMetrics that get the same data at once.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runMaterial } from './material.ts'
import { peerKinds, withPeer } from './peer.ts'
import { durable, freePort, memoryParts, startBenchServer } from './server.ts'

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      series: { type: 'string', default: '20000' },
      seconds: { type: 'string', default: '30' },
      peers: { type: 'string', default: '' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const config = join(folder, 'weir.toml')
  writeFileSync(config, durable)
  const servers: string[] = []
  const run = async (sql: string) => {
    // The last one is compared with the first.
    const named = servers.flatMap(server => ['--server', server])
    await runMaterial('live.mjs', [...named, '--sql', sql, '--series', values.series, '--seconds', values.seconds])
  }
  try {
    const server = await startBenchServer(config, join(folder, 'weir'))
    const metrics = `${server.url}/v1/metricsys`
    const own = `weir=${metrics}/write,${metrics}/api/v1,${server.pid}`
    const beside = async (names: readonly string[]): Promise<void> => {
      const [name, ...rest] = names
      if (name === undefined) {
        servers.push(own)
        return run(`${server.url}/v1/sql`)
      }
      const kind = peerKinds.find(each => each.name === name)!
      const data = join(folder, name)
      mkdirSync(data)
      const there = await withPeer(kind, values.peers, data, await freePort(), async (write, pid) => {
        servers.push(`${name}=${write},${new URL('/api/v1', write).href},${pid}`)
        await beside(rest)
        return true
      })
      if (there === undefined) await beside(rest)
    }
    await beside(values.peers === '' ? [] : ['prometheus', 'victoria-metrics'])
    console.log(`weir memory, MB: ${await memoryParts(server)}`)
    await server.kill('SIGTERM')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
