// Bodies and questions of a size that the limits just allow, to every protocol in each of its encodings: nothing holds the event loop, so that
// others are answered meanwhile. WEIR_LOOP=largest takes the limits in full, which needs some minutes and 8 GB.
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loopQuestions } from './loop/questions.ts'
import { type LoopSize, largest, loopRequests } from './loop/requests.ts'
import { type ServerProcess, serverFolder, startProcess } from './server.ts'

const MiB = 2 ** 20
const size: LoopSize =
  process.env['WEIR_LOOP'] === 'largest' ? largest : { bytes: 6 * MiB, series: 20_000, tables: 500, columns: 900 }

/**
 * Milliseconds of processor time that the event loop's thread may use between two checks of the watchdog; wall time would count other processes.
 * A turn lasts 10 ms; a garbage collection may fall into one, so a request beyond the limit is tried once more.
 */
const maxWork = 100
/** Milliseconds for an answer of /health while the machine has other things to do, too. */
const maxWait = 5_000

interface Held {
  readonly processor_ms: number
  readonly path?: string
}

const held: Held[] = []

t.test('the event loop is never held', async t => {
  const server = await startProcess(t, serverFolder(t), {
    // Nobody waits for files to be written; a statement may make a table as wide as its words allow.
    env: {
      WEIR__EVENT_LOOP_THRESHOLD: '60ms',
      WEIR__STORAGE__MEMTABLE_LIMIT: '4GiB',
      WEIR__LIMITS__MAX_COLUMNS: '10000'
    },
    onLine(line) {
      if (line.includes('the event loop was held')) held.push(JSON.parse(line))
    }
  })
  for (const { name, path, headers, body, status, count } of loopRequests(size)) {
    const made = body() as Uint8Array<ArrayBuffer>
    const answer = await beside(t, server, name, () => send(server, path, { method: 'POST', headers, body: made }))
    t.equal(answer.status, status, `${name}: ${answer.status} ${answer.text}`)
    if (count === undefined) continue
    const { text } = await send(server, `/v1/sql?sql=${encodeURIComponent(count.sql)}&format=csv`, {})
    t.equal(Number(text) % count.rows, 0, `${name}: all rows are there`)
  }
  for (const { name, path, headers, body, status } of loopQuestions()) {
    const init = { ...(headers && { headers }), ...(body !== undefined && { method: 'POST', body }) }
    const answer = await beside(t, server, name, () => send(server, path, init))
    t.equal(answer.status, status, `${name}: ${answer.status} ${status === answer.status ? '' : answer.text}`)
  }
  t.equal(await server.kill('SIGTERM'), 0)
})

/** Milliseconds of work, a collection of garbage included: what grows but once cannot be tried again. */
const maxGrowth = 150

t.test('more than two million series of one table come without holding the event loop', async t => {
  const works: number[] = []
  const folder = serverFolder(t)
  const start = () =>
    startProcess(t, folder, {
      env: { WEIR__EVENT_LOOP_THRESHOLD: '60ms', WEIR__STORAGE__MEMTABLE_LIMIT: '4GiB' },
      onLine(line) {
        if (line.includes('the event loop was held')) works.push(JSON.parse(line).processor_ms)
      }
    })
  let server = await start()
  // Who starts loads code first, and the log tells of it a little later.
  await pause(500)
  works.length = 0
  const some = 200_000
  for (let from = 0; from < 11 * some; from += some) {
    const body = Array.from({ length: some }, (_, i) => `wide,id=${from + i} v=1 1700000000000\n`).join('')
    const { status, text } = await send(server, '/v1/lineproto/write?precision=ms', { method: 'POST', body })
    t.equal(status, 204, text)
  }
  const isFree = (what: string) => {
    t.ok(Math.max(0, ...works) <= maxGrowth, `${what}: held for ${Math.max(0, ...works)} ms of work at most`)
    works.length = 0
  }
  const run = async (sql: string) => {
    const { status, text } = await statementsOf(server)(sql)
    t.equal(status, 200, text)
    isFree(sql)
  }
  const count = async (where: string) => {
    const sql = encodeURIComponent(`SELECT count(*) FROM wide${where}`)
    return Number((await send(server, `/v1/sql?sql=${sql}&format=csv`, {})).text)
  }
  isFree('writes')
  t.equal(await count(" WHERE id = '1000000'"), 1)
  isFree('a statement about one of them')
  t.equal(await count(''), 11 * some, 'all of them are there')
  await run("ADMIN flush_table('wide')")
  t.equal(await server.kill('SIGTERM'), 0)
  server = await start()
  await pause(500)
  works.length = 0
  // Requests that come before the series are read.
  const body = 'wide,id=7 v=1 1700000001000\nwide,id=new v=1 1700000001000\n'
  const promql = '/v1/promql?start=1700000000&end=1700000060&step=60s&query='
  const [written, found, asked] = await Promise.all([
    send(server, '/v1/lineproto/write?precision=ms', { method: 'POST', body }),
    count(" WHERE id = '1000001'"),
    send(server, promql + encodeURIComponent('wide{id="1000002"}'), {})
  ])
  t.equal(written.status, 204, written.text)
  t.equal(found, 1)
  t.match(asked.text, '1000002', 'PromQL finds its series')
  isFree('the first requests after a start')
  t.equal(await count(" WHERE id IN ('7', 'new')"), 3)
  await run('DROP TABLE wide')
  t.equal(await server.kill('SIGTERM'), 0)
})

t.test('ten thousand tables come, and go with their database, without holding the event loop', async t => {
  const server = await startProcess(t, serverFolder(t), {
    env: { WEIR__EVENT_LOOP_THRESHOLD: '60ms', WEIR__STORAGE__MEMTABLE_LIMIT: '4GiB' },
    onLine(line) {
      if (line.includes('the event loop was held')) held.push(JSON.parse(line))
    }
  })
  const body = Array.from({ length: 10_000 }, (_, i) => `t${i},a=b v=1 1700000000000\n`).join('')
  const statement = statementsOf(server)
  const write = () => send(server, '/v1/lineproto/write?precision=ms&db=many', { method: 'POST', body })
  for (let round = 0; round < 2; round++) {
    t.equal((await statement('CREATE DATABASE many')).status, 200)
    t.equal((await beside(t, server, 'ten thousand tables', write)).status, 204)
    const { status, text } = await beside(t, server, 'their flush', () => statement('ADMIN flush()'))
    t.equal(status, 200, text)
    t.equal((await beside(t, server, '/status', () => send(server, '/status', {}))).status, 200)
    for (const name of [
      'tables',
      'columns',
      'partitions',
      'region_statistics',
      'key_column_usage',
      'table_constraints'
    ]) {
      const { status, text } = await beside(t, server, name, () =>
        statement(`SELECT count(*) FROM information_schema.${name}`)
      )
      t.equal(status, 200, text)
    }
    t.equal((await beside(t, server, 'DROP DATABASE', () => statement('DROP DATABASE IF EXISTS many'))).status, 200)
  }
  t.equal(await server.kill('SIGTERM'), 0)
})

/** A flush of ten thousand files takes longer than a request may by default. */
function statementsOf(server: ServerProcess) {
  const headers = { 'x-svc-timeout': '300s' }
  return (sql: string) => send(server, `/v1/sql?sql=${encodeURIComponent(sql)}`, { headers })
}

/** Runs something while a client requests /health all the time. */
async function beside<T>(t: Test, server: ServerProcess, name: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    held.length = 0
    let isOver = false
    let longest = 0
    const asking = (async () => {
      while (!isOver) {
        const began = performance.now()
        const { status } = await send(server, '/health', {})
        longest = Math.max(longest, performance.now() - began)
        if (status !== 200) t.fail(`${name}: /health answered ${status}`)
        await pause(20)
      }
    })()
    const result = await work()
    // The watchdog's next look.
    await pause(30)
    isOver = true
    await asking
    const worked = Math.max(0, ...held.map(each => each.processor_ms))
    if (worked > maxWork && attempt === 1) continue
    t.ok(worked <= maxWork, `${name}: the event loop was held for ${worked} ms of work at most`)
    t.ok(longest <= maxWait, `${name}: /health within ${longest.toFixed(0)} ms`)
    return result
  }
}

async function send({ url }: ServerProcess, path: string, init: RequestInit) {
  const response = await fetch(url + path, init)
  let text = ''
  let bytes = 0
  const reader = new TextDecoder()
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (text.length < 300) text += reader.decode(piece).slice(0, 300)
  }
  return { status: response.status, text, bytes }
}
