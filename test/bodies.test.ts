// Compressed bodies of several frames or members, as programs and proxies send them, through every protocol.
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { encodeSnappy, inflate, inflateSync } from '../core/wire/index.ts'
import { fuzz } from './fuzz/bodies.ts'
import { createRandom, type Random } from './fuzz/random.ts'
import { askSql, databaseMaker, startServer } from './helpers.ts'
import { writeV1 } from './plugins/metricsys/messages.ts'
import { findProgram, needing } from './programs.ts'

type Coding = 'zstd' | 'gzip' | 'deflate' | 'br'

interface Packer {
  readonly program: string
  readonly coding: Coding
  readonly options: readonly string[]
}

/** Makers of bodies that may consist of several parts; those of one stream are below. */
const packers: readonly Packer[] = [
  { program: 'zstd', coding: 'zstd', options: ['-q', '-c', '-3'] },
  { program: 'zstd', coding: 'zstd', options: ['-q', '-c', '--no-check', '--fast'] },
  { program: 'pzstd', coding: 'zstd', options: ['-q', '-c', '-p', '2'] },
  { program: 'gzip', coding: 'gzip', options: ['-c'] },
  { program: 'pigz', coding: 'gzip', options: ['-c', '-p', '2', '-b', '128'] }
]
const streams: readonly Packer[] = [
  { program: 'pigz', coding: 'deflate', options: ['-c', '-z'] },
  { program: 'brotli', coding: 'br', options: ['-c', '-q', '4'] }
]

const random = createRandom(Number(process.env['WEIR_PROPERTY_SEED'] ?? 20))

function pack({ program, options }: Packer, content: Buffer): Buffer {
  const { stdout, stderr, status } = spawnSync(findProgram(program)!, options, { input: content, maxBuffer: 1 << 26 })
  if (status !== 0) throw new Error(`${program} ${options.join(' ')}: ${stderr}`)
  return stdout
}

/** The content cut at random bytes, each part packed by itself. */
function packParts(packer: Packer, content: Buffer, random: Random): Buffer {
  const cuts = Array.from({ length: random.below(5) }, () => random.below(content.length + 1)).sort((a, b) => a - b)
  const ends = [...cuts, content.length]
  return Buffer.concat(ends.map((end, i) => pack(packer, content.subarray(ends[i - 1] ?? 0, end))))
}

const skippable = Buffer.from('5f2a4d180400000061626364', 'hex')

for (const packer of [...packers, ...streams]) {
  t.test(
    `a body made by ${packer.program} with ${packer.options.join(' ')} is read`,
    needing(packer.program),
    async t => {
      const isStream = streams.includes(packer)
      const tooLarge = () => new Error('too large')
      for (let round = 0; round < 6; round++) {
        const content = Buffer.from('{"n":1,"text":"weir"}\n'.repeat(random.below(30_000)))
        const packed = isStream ? pack(packer, content) : packParts(packer, content, random)
        const bodies = packer.coding === 'zstd' ? [packed, Buffer.concat([skippable, packed, skippable])] : [packed]
        for (const body of bodies) {
          const found = await inflate(body, packer.coding, { limit: 0, tooLarge })
          t.ok(found.equals(content), `${content.length} bytes`)
          t.ok(inflateSync(body, packer.coding, { limit: content.length, tooLarge }).equals(content), 'at once')
        }
        if (content.length > 1) {
          await t.rejects(inflate(packed, packer.coding, { limit: content.length - 1, tooLarge }), /too large/)
        }
        for (const junk of ['\n', '\0\0\0\0', 'xyz']) {
          const body = Buffer.concat([packed, Buffer.from(junk)])
          const refused = { code: 'InvalidArguments', message: /^the body is not valid/ }
          await t.rejects(inflate(body, packer.coding, { limit: 0, tooLarge }), refused)
          t.throws(() => inflateSync(body, packer.coding, { limit: 0, tooLarge }), refused)
        }
      }
    }
  )
}

t.test('many small frames let others have their turn, and end with the request', async t => {
  const one = pack({ program: 'zstd', coding: 'zstd', options: ['-q', '-c', '--no-check'] }, Buffer.from('x'))
  const body = Buffer.concat(Array.from({ length: 20_000 }, () => one))
  const tooLarge = () => new Error('too large')
  let turns = 0
  const watch = setInterval(() => turns++, 1)
  const found = await inflate(body, 'zstd', { limit: 0, tooLarge })
  clearInterval(watch)
  t.equal(found.toString(), 'x'.repeat(20_000))
  t.ok(turns > 3, `others had their turn ${turns} times`)
  const signal = AbortSignal.abort(new Error('gone'))
  await t.rejects(inflate(body, 'zstd', { limit: 0, tooLarge, signal }), /gone/)
})

interface Protocol {
  readonly name: string
  readonly url: string
  readonly type?: string
  /** All of them where it is left out. */
  readonly codings?: readonly Coding[]
  readonly make: (rows: number, coding: Coding) => Buffer
  readonly table: string
}

const json = 'application/json'
const numbers = (rows: number) => Array.from({ length: rows }, (_, i) => i + 1)

const protocols: readonly Protocol[] = [
  {
    name: 'ingest',
    url: '/v1/ingest?table=t&pipeline_name=svc_identity',
    type: 'application/x-ndjson',
    make: rows =>
      Buffer.from(
        numbers(rows)
          .map(n => `{"n":${n}}\n`)
          .join('')
      ),
    table: 't'
  },
  {
    name: 'lineproto',
    url: '/v1/lineproto/write',
    make: rows =>
      Buffer.from(
        numbers(rows)
          .map(n => `t v=${n} ${n}000000\n`)
          .join('')
      ),
    table: 't'
  },
  {
    name: 'tsdbput',
    url: '/v1/tsdbput/api/put',
    make: rows =>
      Buffer.from(JSON.stringify(numbers(rows).map(n => ({ metric: 't', timestamp: n, value: n, tags: { a: 'b' } })))),
    table: 't'
  },
  {
    name: 'eventcollector',
    url: '/v1/eventcollector/services/collector/event',
    make: rows =>
      Buffer.from(
        numbers(rows)
          .map(n => `{"time":${n},"event":"${n}"}`)
          .join('\n')
      ),
    table: 'eventcollector_logs'
  },
  {
    name: 'logpush',
    url: '/v1/logpush/api/v1/push',
    type: json,
    make: rows =>
      Buffer.from(
        JSON.stringify({ streams: [{ stream: { a: 'b' }, values: numbers(rows).map(n => [`${n}`, `line ${n}`]) }] })
      ),
    table: 'logpush_logs'
  },
  {
    name: 'telemetry',
    url: '/v1/telemetry/v1/logs',
    type: json,
    make: rows => {
      const logRecords = numbers(rows).map(n => ({ timeUnixNano: String(n), body: { stringValue: `line ${n}` } }))
      return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
    },
    table: 'telemetry_logs'
  },
  {
    name: 'metricsys',
    url: '/v1/metricsys/write',
    codings: ['zstd', 'gzip'],
    // Some send it through a proxy that adds gzip to the Snappy the protocol wants.
    make: (rows, coding) => {
      const series = numbers(rows).map(n => ({ labels: { __name__: 't', n: `${n}` }, samples: [[n, n]] as const }))
      const message = writeV1(series)
      return Buffer.from(coding === 'gzip' ? encodeSnappy(message) : message)
    },
    table: 't'
  },
  {
    name: 'sql',
    url: '/v1/sql',
    type: 'application/x-www-form-urlencoded',
    make: rows =>
      Buffer.from(
        new URLSearchParams({
          sql: `INSERT INTO t VALUES ${numbers(rows)
            .map(n => `(${n})`)
            .join()}`
        }).toString()
      ),
    table: 't'
  }
]

t.test('every protocol stores all parts of a body, or nothing of one with something behind its end', async t => {
  const server = await startServer(t)
  const database = databaseMaker(server)
  const rows = 50
  for (const { name, url, type, codings, make, table } of protocols) {
    for (const packer of [...packers, ...streams]) {
      if (codings?.includes(packer.coding) === false || needing(packer.program).skip !== false) continue
      const db = await database()
      if (name === 'sql') await askSql(server, 'CREATE TABLE t (ts TIMESTAMP TIME INDEX)', { db })
      const content = make(rows, packer.coding)
      const packed = streams.includes(packer) ? pack(packer, content) : packParts(packer, content, random)
      const send = async (payload: Buffer) => {
        const headers = {
          'content-encoding': packer.coding,
          'x-svc-db-name': db,
          ...(type !== undefined && { 'content-type': type })
        }
        return (await server.main.inject({ method: 'POST', url, payload, headers })).statusCode
      }
      const what = `${name}, ${packer.program} ${packer.options.join(' ')}`
      t.equal(await send(Buffer.concat([packed, Buffer.from('\0behind')])), 400, `${what}: something behind the end`)
      t.equal(await send(packed.subarray(0, packed.length - 3)), 400, `${what}: cut off`)
      const found = () => askSql(server, `SELECT count(*) FROM ${table}`, { db }).then(rows => rows[0][0])
      if (name === 'sql') t.equal(await found(), 0, `${what}: nothing is stored`)
      else t.same(await askSql(server, 'SHOW TABLES', { db }), [], `${what}: nothing is stored`)
      const status = await send(packer.coding === 'zstd' ? Buffer.concat([skippable, packed]) : packed)
      t.ok(status >= 200 && status < 300, `${what}: ${status}`)
      t.equal(await found(), rows, what)
    }
  }
})

t.test('bodies of parts in any order, cut, bent and with something behind them', async t => {
  const { broken } = fuzz(1, 5000)
  t.equal(broken, undefined)
})
