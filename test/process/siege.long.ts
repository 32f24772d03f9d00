// Requests that once stopped the server, sent to a real one: each is refused or answered, and other clients are answered meanwhile.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serverFolder, startProcess } from './server.ts'
import { attacks, passwords } from './siege/attacks.ts'
import { quantile } from './siege/honest.ts'
import { brokenBounds } from './siege/report.ts'
import { memoryBound } from './siege/run.ts'

/** By attack: what may become of it. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'dry run: loops in a script': ['400'],
  'dry run: replacing with hindsight': ['400'],
  'dry run: long replacement': ['400'],
  'dry run: regular expression of many states': ['200', '400'],
  'lines through a regular expression': ['200', '400'],
  'lines through a script': ['400'],
  'form of %ff': ['413'],
  'form of broken signs within its limit': ['400'],
  'query string of broken signs': ['400'],
  'SQL: long text': ['400'],
  'SQL: half a million operators': ['400'],
  'SQL: a hundred thousand columns': ['400'],
  'SQL: a thousand unions': ['200'],
  'SQL: a hundred thousand statements': ['400'],
  'SQL: SHOW TABLES LIKE': ['200'],
  'PromQL: repetitions of repetitions': ['400'],
  'PromQL: thousands of expressions': ['400'],
  'PromQL: thousands of selectors': ['400'],
  'PromQL: long query': ['400'],
  'line protocol: a tag of 1 MB': ['400'],
  'PromQL: a long number as the time': ['400'],
  'SQL: TQL of white space': ['400'],
  'NDJSON: 60 MB': ['413'],
  'JSON: deep': ['413']
}

t.test('each attack ends with its answer, and others are answered meanwhile', async t => {
  const dir = serverFolder(t)
  writeFileSync(join(dir, 'users'), `reader:ro=${passwords['reader']}\nwriter=${passwords['writer']}\n`)
  const config = `user_provider = "static_user_provider:file:${join(dir, 'users')}"
[http]
addr = "127.0.0.1:0"
[storage]
data_home = ${JSON.stringify(join(dir, 'data'))}
[logging]
log_format = "json"
max_log_files = 0
[plugins.pipelines]
dry_run_max_time = "500ms"
max_request_time = "1s"
`
  writeFileSync(join(dir, 'weir.toml'), config)
  const server = await startProcess(t, dir)
  for (const [name, outcomes] of Object.entries(expected)) {
    const attack = attacks.find(each => each.name === name)!
    await attack.prepare?.(server)
    let isOver = false
    const answered: number[] = []
    const probing = (async () => {
      do {
        const response = await fetch(`${server.url}/health`)
        await response.arrayBuffer()
        answered.push(response.status)
      } while (!isOver)
    })()
    const outcome = await attack.send(server)
    isOver = true
    await probing
    t.ok(outcomes.includes(outcome), `${name}: ${outcome}`)
    t.strictSame([...new Set(answered)], [200], `${name}: ${answered.length} others`)
  }
  t.equal(await server.kill('SIGTERM'), 0)
})

t.test('a siege is judged by its bounds', async t => {
  t.equal(quantile([5, 1, 3], 0.5), 3)
  t.equal(quantile([], 0.99), 0)
  const clock = (times: number[], gap = 0) => ({ times, gap, failures: new Map() })
  const phase = {
    name: 'x',
    clocks: {
      health: clock([1, 2], 300),
      'line protocol': clock([300]),
      NDJSON: clock([1]),
      SQL: clock([9000]),
      PromQL: clock([9000]),
      ruler: clock([1], 20),
      'ruler write': clock([40])
    },
    outcomes: new Map(),
    memory: 1,
    ownMemory: 1,
    series: 0,
    held: new Map([['GET /x', { ms: 900, processor_ms: 101, gc_ms: 0, queued_ms: 0 }]])
  }
  const broken = brokenBounds({ phases: [phase], lost: new Map([['t', 2]]), died: false, restarts: 3, stop: 20_000 })
  t.match(broken, [
    /line protocol within 300/,
    /health took 300/,
    /101 ms of work/,
    /SIGTERM took 20000/,
    /2 rows of t are lost/
  ])
  t.equal(broken.length, 5)
  const large = { ...phase, memory: memoryBound(0) + 1, held: new Map() }
  const told = (series: number) =>
    brokenBounds({ phases: [{ ...large, series }], lost: new Map(), died: false, restarts: 0, stop: 0 })
  t.ok(told(0).some(line => line.includes('MiB')))
  t.notOk(
    told(1_000).some(line => line.includes('MiB')),
    'series take memory'
  )
  const busy = { ...phase, clocks: { ...phase.clocks, ruler: clock([1], 60), 'ruler write': clock([60]) } }
  const late = { ...phase, clocks: { ...phase.clocks, ruler: clock([30]) } }
  for (const phases of [[busy], [late]])
    t.match(brokenBounds({ phases, lost: new Map(), died: false, restarts: 0, stop: 0 }), [/101 ms of work/])
  t.match(brokenBounds({ phases: [], lost: new Map(), died: true, restarts: 0, stop: 0 }), [
    'the server ended by itself'
  ])
})
