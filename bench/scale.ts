// A quarter of a day of a large fleet into our server and into others, one after the other: write rate, memory, disk and the time of a query
// over time, and range queries at once and again after a restart. `--watch` are the seconds between two points, `--plot` a picture of them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runMaterial } from './material.ts'
import { peerKinds, withPeer } from './peer.ts'
import { type BenchServer, durable, freePort, memoryParts, startBenchServer } from './server.ts'
import { plotSvg, plotText, type TimelinePoint, watch } from './timeline.ts'

const program = 'scale.mjs'
const interval = 15_000

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      series: { type: 'string', default: '50000' },
      hours: { type: 'string', default: '6' },
      peers: { type: 'string', default: '' },
      config: { type: 'string' },
      watch: { type: 'string', default: '10' },
      plot: { type: 'string' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  // All servers get the same times.
  const end = String(Math.floor(Date.now() / interval) * interval)
  const size = ['--series', values.series, '--hours', values.hours, '--end', end]
  const config = values.config ?? join(folder, 'weir.toml')
  if (values.config === undefined) writeFileSync(config, durable)
  const data = join(folder, 'weir')
  const start = () => startBenchServer(config, data)
  const ask = (server: BenchServer, ...more: string[]) => {
    const metrics = `${server.url}/v1/metricsys`
    const where = [
      '--write',
      `${metrics}/write`,
      '--api',
      `${metrics}/api/v1`,
      '--pid',
      String(server.pid),
      '--dir',
      data
    ]
    return runMaterial(program, ['--name', 'weir', ...where, ...size, ...more])
  }
  const seen = new Map<string, readonly TimelinePoint[]>()
  const watched = async <T>(
    name: string,
    pid: number,
    api: string,
    folder: string,
    run: () => Promise<T>
  ): Promise<T> => {
    const query = `${api}/query_range?query=${encodeURIComponent('cpu_usage_user{hostname="host_1"}')}&start=${Number(end) / 1000 - 3600}&end=${Number(end) / 1000}&step=60&nocache=1`
    const watching = watch({ pid, folder, query }, Number(values.watch))
    try {
      return await run()
    } finally {
      const points = await watching.stop()
      seen.set(name, points)
      console.log(`${name} over ${Math.round(points.at(-1)?.seconds ?? 0)} s`)
      console.log(plotText(points))
      if (values.plot !== undefined) writeFileSync(values.plot, plotSvg(seen))
    }
  }
  try {
    const server = await start()
    const found = await watched('weir', server.pid, `${server.url}/v1/metricsys/api/v1`, data, () => ask(server))
    console.log(`weir memory, MB: ${await memoryParts(server)}`)
    await server.kill('SIGTERM')
    if (!found) return
    console.log('after a restart')
    const again = await start()
    await ask(again, '--only-queries')
    await again.kill('SIGTERM')
    if (values.peers === '') return
    const kind = peerKinds.find(({ name }) => name === 'victoria-metrics')!
    const peer = join(folder, kind.name)
    const there = await withPeer(kind, values.peers, peer, await freePort(), async (write, pid) => {
      const api = new URL('/prometheus/api/v1', write).href
      const where = ['--write', write, '--api', api, '--pid', String(pid), '--dir', peer]
      await watched(kind.name, pid, api, peer, () => runMaterial(program, ['--name', kind.name, ...where, ...size]))
      return true
    })
    if (there === undefined) console.log(`${kind.name}: no such program in ${values.peers}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
