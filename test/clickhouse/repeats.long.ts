// Two processes that tell each other of failed writes, over connections that break: a request a client repeats uses one token until it is
// answered, whatever came through; the same request after an answer uses another.
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createMetrics } from '../../core/metrics/metrics.ts'
import { type Connection, connect } from '../../core/storage/clickhouse/connection.ts'
import { type RepeatablePart, Repeats } from '../../core/storage/clickhouse/repeats.ts'
import { clickHouseSettings } from '../core/storage/clickhouse/fixtures.ts'
import { Random } from '../process/chaos/random.ts'
import { type BreakingProxy, breakingProxy } from './breaking-proxy.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(120_000)

const place = { prefix: 'weir_', cluster: '' }

interface Process {
  readonly repeats: Repeats
  readonly proxy: BreakingProxy
  readonly connection: Connection
}

async function startProcesses(t: Test): Promise<readonly Process[]> {
  const { url } = await startClickHouse(t)
  const processes: Process[] = []
  for (let i = 0; i < 2; i++) {
    const proxy = await breakingProxy(t, Number(new URL(url).port))
    const connection = await connect(clickHouseSettings({ urls: [proxy.url] }), createMetrics())
    await connection.command('CREATE DATABASE IF NOT EXISTS weir_svc_private')
    const repeats = new Repeats(connection, place)
    await repeats.open()
    t.teardown(async () => {
      proxy.break(undefined)
      await repeats.close()
      await connection.close()
    })
    processes.push({ repeats, proxy, connection })
  }
  return processes
}

function partOf(number: number, rows = 2): RepeatablePart {
  const values = new Float64Array(rows).fill(number)
  return {
    target: 'weir_public.lines',
    op: 'put',
    rows,
    columns: [{ name: 'n', type: 'Float64', data: { kind: 'fixed', values } }]
  }
}

/** Sends parts as a client does until they are answered; `comes(i)` tells whether the rows of try `i` are stored, and whether it is answered. */
async function send(
  processes: readonly Process[],
  parts: readonly RepeatablePart[],
  first: number,
  comes: (attempt: number) => { readonly stored: boolean; readonly answered: boolean }
): Promise<readonly ReadonlySet<string>[]> {
  const stored = parts.map(() => new Set<string>())
  for (let attempt = 0; ; attempt++) {
    const { repeats } = processes[(first + attempt) % processes.length]!
    try {
      const begun = await repeats.begin(parts)
      const result = comes(attempt)
      if (result.stored) for (const [i, token] of begun.tokens.entries()) stored[i]!.add(token)
      if (result.answered) {
        await repeats.succeed(begun)
        return stored
      }
      await repeats.fail(parts, begun)
    } catch (error) {
      // The cluster is away, or could not be told: the client is told so.
      if ((error as { code?: string }).code === undefined) throw error
    }
    // The shortest time a client is told to wait.
    await pause(1000)
  }
}

t.test(
  'a repeated request uses one token, at whichever process, while connections break',
  needingClickHouse(),
  async t => {
    const processes = await startProcesses(t)
    const seed = Math.floor(Math.random() * 2 ** 31)
    t.comment(`seed ${seed}`)
    const random = new Random(seed)
    let isOver = false
    const breaking = (async () => {
      while (!isOver) {
        for (const { proxy } of processes)
          proxy.break(random.pick([undefined, undefined, 'before', 'after', 'parts', 'slow']))
        await pause(random.between(30, 200))
      }
    })()
    const clients = Array.from({ length: 30 }, async (_, client) => {
      const own = Random.at(seed, client)
      for (let n = 0; n < 3; n++) {
        const parts = Array.from({ length: own.between(1, 3) }, (_, i) =>
          partOf(client * 100 + n * 10 + i, own.between(1, 3))
        )
        const stored = await send(processes, parts, own.between(0, 1), () => {
          const answered = own.chance(0.4)
          return { answered, stored: answered || own.chance(0.7) }
        })
        for (const tokens of stored) t.equal(tokens.size, 1, `client ${client}, request ${n}`)
      }
    })
    await Promise.all(clients).finally(() => {
      isOver = true
    })
    await breaking
  }
)

t.test('the same rows after an answer are other rows', needingClickHouse(), async t => {
  const processes = await startProcesses(t)
  const failsOnce = (attempt: number) => ({ stored: true, answered: attempt > 0 })
  const parts = [partOf(1), partOf(1)]
  const seen = new Set<string>()
  for (let n = 0; n < 3; n++) {
    for (const tokens of await send(processes, parts, n, failsOnce)) {
      t.equal(tokens.size, 1)
      for (const token of tokens) seen.add(token)
    }
    await pause(1000)
  }
  t.equal(seen.size, 6)
})

t.test('equal requests at the same time use tokens of their own', needingClickHouse(), async t => {
  const [process] = await startProcesses(t)
  const { repeats } = process!
  const parts = [partOf(1)]
  const failed = await repeats.begin(parts)
  await repeats.fail(parts, failed)
  const [one, two] = [await repeats.begin(parts), await repeats.begin(parts)]
  t.strictSame(one.tokens, failed.tokens)
  t.notSame(two.tokens, failed.tokens)
  await repeats.succeed(one)
  await repeats.succeed(two)
  t.notSame((await repeats.begin(parts)).tokens, failed.tokens)
})

t.test(
  'an answer that others could not be told of for sure is none, and is repeated with the same token',
  needingClickHouse(),
  async t => {
    const processes = await startProcesses(t)
    const [one, two] = processes
    const parts = [partOf(1)]
    const first = await one!.repeats.begin(parts)
    await one!.repeats.fail(parts, first)
    const second = await one!.repeats.begin(parts)
    // The cluster has it, and its answer does not arrive, however often it is told.
    one!.proxy.break('after', 'after', 'after', 'after', 'after', 'after')
    await t.rejects(one!.repeats.succeed(second))
    one!.proxy.break(undefined)
    await pause(1000)
    const third = await two!.repeats.begin(parts)
    t.strictSame(third.tokens, first.tokens)
    await two!.repeats.succeed(third)
    await pause(1000)
    t.notSame((await one!.repeats.begin(parts)).tokens, first.tokens)
  }
)
