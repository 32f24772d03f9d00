// Request bodies for benches: made anew from a seed, or read from a file of `[u32 little-endian length][body]` with a `.json` sidecar.
import { readFileSync, writeFileSync } from 'node:fs'

export interface Corpus {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodies: readonly Buffer[]
  /** Items in all bodies together. */
  readonly items: number
}

const routes = ['/', '/cart', '/cart/items', '/products/list', '/products/view?id=8812', '/account', '/assets/site.css']
const clients = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
  'Mozilla/5.0 (Macintosh)',
  'okhttp/4.12',
  'python-requests/2.32'
]
const statuses = [200, 200, 200, 200, 200, 204, 302, 404, 503]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Access-log events as NDJSON, about 230 bytes a line. */
export function ndjsonCorpus(lines: number, perBody = 1000): Corpus {
  return make('ndjson', 'application/x-ndjson', lines, perBody, event => {
    const { time, random, status, size, address, route } = event
    const took = Math.floor(random() * 700)
    return JSON.stringify({
      timestamp: time.toISOString(),
      level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
      service: `shop-${Math.floor(random() * 12)}`,
      host: `node-${Math.floor(random() * 150)}.internal`,
      message: `${route} answered to ${address} after ${took} ms`,
      status,
      size,
      trace_id: Math.floor(random() * 2 ** 52).toString(16)
    })
  })
}

/** The same kind of events as lines of the combined access-log format. */
export function textCorpus(lines: number, perBody = 1000): Corpus {
  return make('text', 'text/plain', lines, perBody, ({ time, random, status, size, address, route }) => {
    const client = clients[Math.floor(random() * clients.length)]
    return `${address} - - [${clock(time)}] "GET ${route} HTTP/1.1" ${status} ${size} "-" "${client}"`
  })
}

const programs = ['sshd', 'cron', 'kernel', 'postfix', 'systemd']
const facts = [
  'session opened for user deploy',
  'Accepted publickey for deploy from',
  'connection closed by',
  'timed out after'
]

/** Lines as system loggers send them, about 110 bytes each. */
export function syslogCorpus(lines: number, perBody = 1000): Corpus {
  return make('syslog', 'text/plain', lines, perBody, ({ time, random, address, size }) => {
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
    const priority = 8 * Math.floor(random() * 20) + Math.floor(random() * 8)
    const host = `node-${Math.floor(random() * 150)}`
    return `<${priority}>1 ${time.toISOString()} ${host} ${pick(programs)} ${1000 + (size % 9000)} - - ${pick(facts)} ${address} port ${size}`
  })
}

interface Event {
  readonly time: Date
  readonly status: number
  readonly size: number
  readonly address: string
  readonly route: string
  readonly random: () => number
}

function make(name: string, type: string, lines: number, perBody: number, line: (event: Event) => string): Corpus {
  const random = sequence(7)
  const start = Date.UTC(2026, 0, 1)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const bodies: Buffer[] = []
  for (let at = 0; at < lines; at += perBody) {
    let body = ''
    for (let i = at; i < Math.min(lines, at + perBody); i++) {
      const address = `172.${16 + Math.floor(random() * 16)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`
      const size = Math.floor(random() * 90_000)
      body += `${line({ time: new Date(start + i * 3), status: pick(statuses), size, address, route: pick(routes), random })}\n`
    }
    bodies.push(Buffer.from(body))
  }
  return { name, headers: { 'Content-Type': type }, bodies, items: lines }
}

/** `01/Jan/2026:00:00:00 +0000` */
function clock(time: Date): string {
  const [, year, month, day, rest] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(time.toISOString())!
  return `${day}/${months[Number(month) - 1]}/${year}:${rest} +0000`
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function readCorpus(file: string): Corpus {
  const raw = readFileSync(file)
  const about = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as { items: number; headers: Record<string, string> }
  const bodies: Buffer[] = []
  for (let at = 0; at < raw.length; ) {
    const start = at + 4
    at = start + raw.readUInt32LE(at)
    bodies.push(raw.subarray(start, at))
  }
  return { name: file.replace(/^.*\//, ''), headers: about.headers, bodies, items: about.items }
}

export function writeCorpus(file: string, { bodies, items, headers }: Corpus): void {
  const parts = bodies.flatMap(body => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(body.length)
    return [length, body]
  })
  writeFileSync(file, Buffer.concat(parts))
  writeFileSync(`${file}.json`, JSON.stringify({ items, headers }))
}
