// How fast bodies become batches of items, on one core and nothing else; JSON.parse of each line stands beside it.
import { parseArgs } from 'node:util'
import { decodeItems } from '../core/index.ts'
import { type Corpus, ndjsonCorpus, readCorpus, textCorpus } from './corpus.ts'

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { corpus: { type: 'string' }, seconds: { type: 'string', default: '2' } }
  })
  const seconds = Number(values.seconds)
  if (values.corpus !== undefined) {
    const corpus = readCorpus(values.corpus)
    return measure(corpus.name, corpus, seconds, body => decodeItems(body, corpus.headers['Content-Type']!).rows)
  }
  const ndjson = ndjsonCorpus(50_000)
  measure('application/x-ndjson', ndjson, seconds, body => decodeItems(body, 'application/x-ndjson').rows)
  measure('application/json', ndjson, seconds, body => decodeItems(body, 'application/json').rows)
  measure('text/plain', textCorpus(50_000), seconds, body => decodeItems(body, 'text/plain').rows)
  measure('JSON.parse a line', ndjson, seconds, parseLines)
}

function parseLines(body: Buffer): number {
  const lines = body.toString().split('\n')
  let rows = 0
  for (const line of lines) if (line !== '' && JSON.parse(line)) rows++
  return rows
}

function measure(name: string, { bodies }: Corpus, seconds: number, run: (body: Buffer) => number): void {
  for (const body of bodies) run(body)
  let rows = 0
  let bytes = 0
  const start = performance.now()
  const until = start + seconds * 1000
  for (let i = 0; performance.now() < until; i = (i + 1) % bodies.length) {
    rows += run(bodies[i]!)
    bytes += bodies[i]!.length
  }
  const took = (performance.now() - start) / 1000
  const perSecond = Math.round(rows / took).toLocaleString('en-US')
  console.log(
    `${name.padEnd(22)} ${(bytes / took / 1e6).toFixed(0).padStart(6)} MB/s ${perSecond.padStart(12)} lines/s`
  )
}
