// Values a second by line protocol, durable, through the whole server, beside other servers on the same bodies in the same run; then the
// server is killed and started again, and the values are counted by SQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparePeers, measureOwn } from './beside.ts'
import { type Corpus, readCorpus, sequence, writeCorpus } from './corpus.ts'
import { writeInfluxdbConfig } from './fleet/influxdb.ts'
import type { PeerKind } from './peer.ts'
import { type BenchServer, freePort, rowsOf } from './server.ts'

/** What InfluxDB needs besides: a port of its own for what nobody asks here, and a database. */
function peers(otherPort: number): readonly PeerKind[] {
  return [
    {
      name: 'victoria-metrics',
      path: '/write',
      ready: '/health',
      args: (folder, port) => [
        `-storageDataPath=${folder}`,
        `-httpListenAddr=127.0.0.1:${port}`,
        '-retentionPeriod=10y'
      ]
    },
    {
      name: 'influxd',
      path: '/write?db=bench',
      ready: '/ping',
      args: (folder, port) => ['-config', writeInfluxdbConfig(folder, port, otherPort)],
      prepare: url => fetch(new URL('/query?q=CREATE+DATABASE+bench', url), { method: 'POST' })
    }
  ]
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      corpus: { type: 'string' },
      hosts: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '200' },
      connections: { type: 'string', default: '4' },
      peers: { type: 'string', default: '' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const corpus = values.corpus ?? join(folder, 'lineproto.bin')
    if (values.corpus === undefined) writeCorpus(corpus, lineCorpus(Number(values.hosts), Number(values.rounds)))
    const run = { folder, corpus, items: readCorpus(corpus).items, connections: Number(values.connections) }
    const own = await measureOwn(run, '/v1/lineproto/write', { what: 'values', count: countValues })
    await comparePeers(run, own, peers(await freePort()), values.peers)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every value of the corpus is one of another series, time or field. */
async function countValues(server: BenchServer): Promise<number> {
  let found = 0
  for (const table of await rowsOf(server, 'SHOW TABLES')) {
    const columns = (await rowsOf(server, `DESC "${table}"`)).map(row => row.split(','))
    const counts = columns.filter(row => row.at(-1) === 'FIELD').map(([name]) => `count("${name}")`)
    found += Number(await rowsOf(server, `SELECT ${counts.join(' + ')} FROM "${table}"`))
  }
  return found
}

/** A point of eight fields for every host and round, a hundred a body. */
function lineCorpus(hosts: number, rounds: number): Corpus {
  const random = sequence(11)
  const start = Date.UTC(2026, 0, 1) / 1000
  const bodies: Buffer[] = []
  for (let round = 0; round < rounds; round++) {
    for (let from = 0; from < hosts; from += 100) {
      let body = ''
      for (let host = from; host < Math.min(hosts, from + 100); host++) {
        const tags = `host=node-${host}.internal,rack=r${host % 40},zone=z${host % 3},team=shop`
        const fields = names.map(name => `${name}=${(random() * 100).toFixed(2)}`).join(',')
        body += `load,${tags} ${fields} ${start + round * 10}000000000\n`
      }
      bodies.push(Buffer.from(body))
    }
  }
  const items = hosts * rounds * names.length
  return { name: 'lineproto', headers: { 'Content-Type': 'text/plain' }, bodies, items }
}

const names = ['user', 'system', 'idle', 'iowait', 'steal', 'load1', 'load5', 'load15']
