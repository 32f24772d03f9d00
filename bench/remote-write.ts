// Samples a second by remote write, durable, through the whole server, beside other servers on the same bodies in the same run; then the
// server is killed and started again, and the samples are counted by SQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparePeers, measureOwn } from './beside.ts'
import { readCorpus, writeCorpus } from './corpus.ts'
import { metricCorpus } from './metric-corpus.ts'
import { peerKinds } from './peer.ts'
import { wide } from './print.ts'
import { countSamples } from './server.ts'

/** So many fit on a line. */
const maxRounds = 10

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      corpus: { type: 'string' },
      series: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '200' },
      churn: { type: 'string', default: '0' },
      connections: { type: 'string', default: '4' },
      peers: { type: 'string', default: '' }
    }
  })
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  try {
    const corpus = values.corpus ?? join(folder, 'remote-write.bin')
    if (values.corpus === undefined) {
      const [series, rounds, churn] = [Number(values.series), Number(values.rounds), Number(values.churn)]
      writeCorpus(corpus, metricCorpus({ series, rounds, churn, perBody: 2000 }))
      console.log(`${wide(series)} series, ${rounds} rounds, ${churn * 100} % new in every round`)
    }
    const run = {
      ...{ folder, corpus, items: readCorpus(corpus).items, connections: Number(values.connections) },
      ...(values.corpus === undefined && Number(values.rounds) <= maxRounds && { rounds: Number(values.rounds) })
    }
    const own = await measureOwn(run, '/v1/metricsys/write', { what: 'samples', count: countSamples })
    await comparePeers(run, own, peerKinds, values.peers)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
