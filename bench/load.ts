// Sends every body of a corpus file once over a few keep-alive connections and prints one line of JSON: a process of its own, so that
// the load does not share a thread with what is measured.
// node bench/load.ts --url URL --corpus FILE [--connections 4] [--parts 1]
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { type Corpus, readCorpus } from './corpus.ts'

export interface LoadResult {
  readonly requests: number
  readonly bad: number
  readonly items: number
  readonly seconds: number
  /** What each part of the requests took of them, parts of as many requests. */
  readonly parts: readonly number[]
  readonly p50ms: number
  readonly p99ms: number
  /** The first answer that was no success. */
  readonly firstBad?: string
}

interface Progress {
  next: number
  bad: number
  firstBad: string | undefined
  readonly latencies: number[]
  /** When a part of the requests was answered. */
  readonly ends: number[]
}

async function run(
  url: URL,
  { bodies, headers, items }: Corpus,
  connections: number,
  parts: number
): Promise<LoadResult> {
  const fixed = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  ].join('\r\n')
  const requests = bodies.map(body =>
    Buffer.concat([Buffer.from(`${fixed}\r\nContent-Length: ${body.length}\r\n\r\n`), body])
  )
  const progress: Progress = { next: 0, bad: 0, firstBad: undefined, latencies: [], ends: [] }
  const share = Math.ceil(requests.length / parts)
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(url, requests, share, progress)))
  const seconds = (performance.now() - start) / 1000
  const { bad, firstBad, ends } = progress
  const sorted = progress.latencies.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2))
  const took = ends.map((end, i) => (end - (ends[i - 1] ?? start)) / 1000)
  const result = { requests: requests.length, bad, items, seconds, parts: took, p50ms: at(0.5), p99ms: at(0.99) }
  return { ...result, ...(firstBad !== undefined && { firstBad }) }
}

/** One connection: takes the next request whenever its last one is answered. */
function drive(url: URL, requests: readonly Buffer[], share: number, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port || 80), url.hostname)
    socket.setNoDelay(true)
    let answer = ''
    let sent = 0
    const send = () => {
      const request = requests[progress.next++]
      if (request === undefined) return end(socket, resolve)
      sent = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('data', data => {
      answer += data.toString('latin1')
      if (!isWhole(answer)) return
      const now = performance.now()
      const answered = progress.latencies.push(now - sent)
      if (answered % share === 0 || answered === requests.length) progress.ends.push(now)
      if (!/^HTTP\/1.1 2/.test(answer)) {
        progress.bad++
        progress.firstBad ??= answer.slice(0, 1000)
      }
      answer = ''
      send()
    })
  })
}

function end(socket: Socket, done: () => void): void {
  socket.end()
  done()
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n')
  if (head < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, head + 2))
  if (length !== null) return answer.length >= head + 4 + Number(length[1])
  const chunked = /\r\ntransfer-encoding: *chunked/i.test(answer.slice(0, head + 2))
  return !chunked || answer.endsWith('0\r\n\r\n')
}

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    corpus: { type: 'string' },
    connections: { type: 'string', default: '4' },
    parts: { type: 'string', default: '1' }
  }
})
if (values.url === undefined || values.corpus === undefined) throw new Error('--url and --corpus are needed')
const { url, corpus, connections, parts } = values
console.log(JSON.stringify(await run(new URL(url), readCorpus(corpus), Number(connections), Number(parts))))
