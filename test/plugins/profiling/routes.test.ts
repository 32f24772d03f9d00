import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Profile } from 'pprof-format'
import t, { type Test } from 'tap'
import { startServer, type TestServer } from '../../helpers.ts'

const post = ({ main }: TestServer, path: string, payload?: string | Buffer, headers = {}) =>
  main.inject({ method: 'POST', url: `/debug/prof${path}`, headers, ...(payload !== undefined && { payload }) })
const get = ({ main }: TestServer, path: string) => main.inject(`/debug/prof${path}`)

/** Keeps the server busy with items and a query of DuckDB until the promise is settled. */
async function loadWhile<T>({ main }: TestServer, work: Promise<T>): Promise<T> {
  const payload = Array.from({ length: 2000 }, (_, i) => JSON.stringify({ line: i, text: `line ${i}` })).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const sql = 'SELECT count(*) FROM range(20000000) AS r(x) WHERE x % 7 = 3'
  let done = false
  void work.finally(() => {
    done = true
  })
  // Each for itself: where the machine is busy a query takes as long as a profile.
  const repeat = async (send: () => Promise<unknown>) => {
    while (!done) await send()
  }
  await Promise.all([
    repeat(() =>
      main.inject({ method: 'POST', url: '/v1/ingest?table=logs&pipeline_name=svc_identity', headers, payload })
    ),
    repeat(() => main.inject(`/v1/sql?sql=${encodeURIComponent(sql)}`))
  ])
  return work
}

/** What the system tells of a process behind its name; nothing of one that has ended meanwhile. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  } catch {
    return []
  }
}

/** Processor time of the processes this one has started, the system's clock counts in hundredths of a second. */
function childSeconds(): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const fields = statOf(pid)
    if (Number(fields[1]) === process.pid) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / 100
}

t.test('a CPU profile in each output', async t => {
  const server = await startServer(t)

  t.test('proto is what others decode, with names, plugins and native time', async t => {
    // The process of statements has started then.
    await server.main.inject('/v1/sql?sql=SELECT+1')
    const before = childSeconds()
    const response = await loadWhile(server, post(server, '/cpu?seconds=1&frequency=500'))
    const used = childSeconds() - before
    t.equal(response.statusCode, 200)
    t.equal(response.headers['content-type'], 'application/octet-stream')
    t.match(response.headers['content-disposition'], /^attachment; filename="cpu-\d{8}T\d{6}Z\.pb\.gz"$/)
    const profile = Profile.decode(gunzipSync(response.rawPayload))
    const text = (index: number | bigint) => profile.stringTable.strings[Number(index)]
    t.strictSame(
      profile.sampleType.map(({ type, unit }) => [text(type), text(unit)]),
      [
        ['samples', 'count'],
        ['cpu', 'nanoseconds']
      ]
    )
    t.equal(Number(profile.period), 2_000_000)
    t.ok(Number(profile.durationNanos) >= 1e9)
    const functions = new Map(profile.function.map(each => [text(each.name), text(each.filename)]))
    t.equal(functions.get('itemSteps'), 'core/wire/item/decode.ts')
    t.ok(functions.has('[native] child processes'))
    const byLabel = Map.groupBy(profile.sample, ({ label }) => text(label[0]!.str))
    t.ok(byLabel.has('ingest') || byLabel.has('pipelines'), 'samples carry the plugin')
    const locations = new Map(profile.location.map(each => [Number(each.id), Number(each.line[0]!.functionId)]))
    const children = profile.function.find(each => text(each.name) === '[native] child processes')!
    const native = profile.sample.filter(
      ({ locationId }) => locations.get(Number(locationId[0])) === Number(children.id)
    )
    const seconds = native.reduce((sum, { value }) => sum + Number(value[1]), 0) / 1e9
    // They come behind requests: how much of the second they get depends on the machine.
    t.ok(seconds > 0 && seconds < used + 0.05, `statements took ${seconds} s, ${used} s with what came after`)
    t.ok(profile.comment.some(index => text(index)?.startsWith('processor time')))
  })

  t.test('text sets processor time against what was sampled', async t => {
    const response = await loadWhile(server, post(server, '/cpu?seconds=0.5&output=text&frequency=1000'))
    t.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
    t.match(response.body, /^CPU profile of \d+\.\d s, weir /)
    t.match(response.body, /^processor time +\d+\.\d\d s +\d+ % of one processor$/m)
    t.match(response.body, /^ {2}main thread +\d+\.\d\d s +sampled in JavaScript and below it \d+\.\d\d s$/m)
    t.match(
      response.body,
      /^by plugin\n( +[\d.]+ m?s +[\d.]+ % {2}.+\n)* +[\d.]+ m?s +[\d.]+ % {2}(ingest|pipelines|sql|core)$/m,
      'work is summed up by plugin'
    )
    t.match(response.body, /^( +[\d.]+ m?s +[\d.]+ %){2} {2}\[native\] child processes$/m)
    t.match(response.body, /^( +[\d.]+ m?s +[\d.]+ %){2} {2}\S+ core\/\S+\.ts:\d+$/m)
  })

  t.test('flamegraph is one SVG that allows itself nothing but its own script', async t => {
    const response = await loadWhile(server, post(server, '/cpu?seconds=0.3&output=FlameGraph'))
    t.equal(response.headers['content-type'], 'image/svg+xml')
    t.match(
      response.headers['content-security-policy'],
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/
    )
    t.match(response.body, /<svg xmlns=/)
    t.match(response.body, /<title>\[native\] child processes\n/)
    t.notMatch(response.body.replaceAll(/xmlns="[^"]+"/g, ''), /https?:|style="|\son\w+=|href/, 'nothing from outside')
  })
})

t.test('one profile at a time, and it ends with its client', async t => {
  const server = await startServer(t, '[http]\nenable_api_server = true')
  const first = post(server, '/cpu?seconds=1&output=text')
  const active = async () => (await server.core.metrics.expose()).includes('svc_profiling_active{kind="cpu"} 1')
  while (!(await active())) await new Promise(resolve => setTimeout(resolve, 10))
  const second = await post(server, '/cpu?seconds=0.1')
  t.match(second, { statusCode: 409, headers: { 'retry-after': '1' } })
  t.match(second.json(), { code: 1006, error: 'a CPU profile is being made, one at a time: try again in 1 s' })
  t.match(await server.core.metrics.expose(), /^svc_profiling_active\{kind="cpu"\} 1$/m)
  t.equal((await first).statusCode, 200)
  t.match(await server.core.metrics.expose(), /^svc_profiling_active\{kind="cpu"\} 0$/m)

  const controller = new AbortController()
  const url = `${server.addresses.main}/debug/prof/cpu?seconds=60`
  const cut = fetch(url, { method: 'POST', signal: controller.signal })
  await new Promise(resolve => setTimeout(resolve, 200))
  controller.abort()
  await t.rejects(cut)
  const isRecording = async () => /^svc_profiling_active\{kind="cpu"\} 1$/m.test(await server.core.metrics.expose())
  while (await isRecording()) await new Promise(resolve => setTimeout(resolve, 20))
  t.equal((await post(server, '/cpu?seconds=0.1')).statusCode, 200, 'the next one may begin')

  const timed = await post(server, '/cpu?seconds=60', undefined, { 'x-svc-timeout': '200ms' })
  t.equal(timed.statusCode, 408, 'the time a request asks for counts')
  const open = await server.public!.inject({ method: 'POST', url: '/debug/prof/cpu' })
  t.equal(open.statusCode, 404, 'nothing of it is public')
})

t.test('wrong parameters are named with what was expected', async t => {
  const server = await startServer(t, '[plugins.profiling]\nmax_duration = "10s"\nmax_frequency = 250')
  const wrong: [string, RegExp][] = [
    ['/cpu?seconds=0', /^seconds is "0", expected a number above 0$/],
    ['/cpu?seconds=-3', /^seconds is "-3"/],
    ['/cpu?seconds=five', /^seconds is "five"/],
    ['/cpu?seconds=11', /^seconds is 11, a profile takes at most 10s \(plugins\.profiling\.max_duration\)$/],
    ['/cpu?frequency=0', /^frequency is "0"/],
    ['/cpu?frequency=1.5', /^frequency is 1.5, expected a whole number/],
    ['/cpu?frequency=251', /^frequency is 251, .* 1 to 250 \(plugins\.profiling\.max_frequency\)$/],
    ['/cpu?output=svg', /^output "svg" is unknown, expected proto, text, flamegraph$/],
    ['/mem?output=json', /^output "json" is unknown/],
    ['/mem/gdump', /^the form field activate is missing, expected true or false$/],
    ['/mem/gdump?activate=yes', /^the form field activate is "yes"/],
    ['/mem/symbol', /^the body is empty, expected a \.heapprofile/]
  ]
  for (const [path, error] of wrong) {
    const response = await post(server, path)
    t.equal(response.statusCode, 400, path)
    t.match(response.json(), { code: 1004, error })
  }
  const origin = { origin: 'http://elsewhere.example' }
  t.equal((await post(server, '/cpu', undefined, origin)).statusCode, 403, 'no page of another origin')
})

t.test('the heap profiler is switched on and off, and dumps while it is on', async t => {
  const server = await startServer(t, '[plugins.profiling]\nheap_interval = "4KiB"')
  const isActive = async () => (await get(server, '/mem/status')).json()
  t.strictSame(await isActive(), { active: false })
  const early = await post(server, '/mem')
  t.equal(early.statusCode, 409)
  t.match(early.json(), { code: 1006, error: /^heap profiling is not active: switch it on with POST/ })

  for (let i = 0; i < 2; i++) t.equal((await post(server, '/mem/activate')).body, 'Heap profiling activated')
  t.strictSame(await isActive(), { active: true })
  const kept = keepObjects()
  const text = await post(server, '/mem')
  t.match(text.body, /^heap, sampled, weir /)
  t.match(text.body, /^resident +\d+\.\d MiB/m)
  t.match(text.body, /keepObjects test\/plugins\/profiling\/routes\.test\.ts:\d+$/m)
  const proto = Profile.decode(gunzipSync((await post(server, '/mem?output=proto')).rawPayload))
  const [type] = proto.sampleType
  t.equal(proto.stringTable.strings[Number(type!.type)], 'inuse_space')
  const bytes = proto.sample.reduce((sum, { value }) => sum + Number(value[0]), 0)
  t.ok(bytes > kept.length * 8, `${bytes} bytes are sampled`)
  t.match((await post(server, '/mem?output=flamegraph')).body, /<title>keepObjects /)

  for (let i = 0; i < 2; i++) t.equal((await post(server, '/mem/deactivate')).body, 'Heap profiling deactivated')
  t.strictSame(await isActive(), { active: false })
})

function keepObjects(): object[] {
  return Array.from({ length: 100_000 }, (_, i) => ({ name: `object ${i}` }))
}

t.test('gdump writes a dump at each new memory high and keeps the newest', async t => {
  const toml = '[plugins.profiling]\ngdump = true\ngdump_step = "8MiB"\ngdump_files = 1'
  const server = await startServer(t, toml)
  t.strictSame((await get(server, '/mem/gdump')).json(), { active: true }, 'from the start where configured')
  t.strictSame((await get(server, '/mem/status')).json(), { active: true })
  const folder = join(server.folder, 'data/profiles')
  const held = [await grown(t, server, 1)]
  const [first] = readdirSync(folder)
  t.match(first, /^heap-\d{8}T\d{6}Z-\d+MiB\.pb\.gz$/)
  Profile.decode(gunzipSync(readFileSync(join(folder, first!))))
  held.push(await grown(t, server, 2))
  t.equal(readdirSync(folder).length, 1, 'only the newest are kept')

  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  t.equal((await post(server, '/mem/gdump', 'activate=false', form)).body, 'gdump deactivated')
  t.strictSame((await get(server, '/mem/gdump')).json(), { active: false })
  t.strictSame((await get(server, '/mem/status')).json(), { active: true }, 'the heap profiler goes on')
  t.equal((await post(server, '/mem/gdump', 'activate=true', form)).body, 'gdump activated')
  await post(server, '/mem/deactivate')
  t.strictSame((await get(server, '/mem/gdump')).json(), { active: false }, 'it ends with the heap profiler')
  t.ok(held.length)
})

/** Takes memory until so many dumps have been written. */
async function grown(t: Test, { core }: TestServer, dumps: number): Promise<Buffer[]> {
  const held: Buffer[] = []
  for (let i = 0; i < 100; i++) {
    held.push(Buffer.alloc(16 << 20, i + 1))
    await new Promise(resolve => setTimeout(resolve, 50))
    const written = /^svc_profiling_gdumps_total\{result="written"\} (\d+)$/m.exec(await core.metrics.expose())
    if (Number(written?.[1] ?? 0) >= dumps) return held
  }
  t.fail('no dump was written')
  return held
}
