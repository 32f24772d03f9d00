import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Function as Code, Label, Line, Location, Profile, Sample, StringTable, ValueType } from 'pprof-format'
import t from 'tap'
import { createFrameNamer } from '../../../plugins/profiling/frame.ts'
import { stacks } from '../../../plugins/profiling/profile.ts'
import { dominators } from '../../../plugins/profiling/symbol/dominators.ts'
import { readDump } from '../../../plugins/profiling/symbol/read.ts'
import { startServer, type TestServer, temporaryFolder } from '../../helpers.ts'
import { Random } from '../../process/chaos/random.ts'

const nameFrame = createFrameNamer({ root: '/srv/', modules: new Map() })

const upload = ({ main }: TestServer, payload: string | Buffer) =>
  main.inject({ method: 'POST', url: '/debug/prof/mem/symbol', payload })

const callFrame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 9, columnNumber: 2 })
const heapProfile = {
  head: {
    callFrame: callFrame('(root)', ''),
    selfSize: 0,
    children: [
      {
        callFrame: callFrame('remember', 'file:///srv/app/node_modules/keeper/index.js'),
        selfSize: 3 << 20,
        children: [{ callFrame: callFrame('<b>&"', ''), selfSize: 1 << 20, children: [] }]
      }
    ]
  }
}

t.test('an uploaded dump comes back as a flame graph', async t => {
  const server = await startServer(t)

  t.test('of a heap profile, gzipped or not', async t => {
    const text = JSON.stringify(heapProfile)
    const plain = await upload(server, text)
    t.equal(plain.statusCode, 200)
    t.equal(plain.headers['content-type'], 'image/svg+xml')
    t.match(plain.headers['content-security-policy'], /^default-src 'none'/)
    t.match(plain.body, '<title>remember keeper/index.js:10\n4.00 MiB, 100.0 %, 3.00 MiB itself\nkeeper</title>')
    t.match(plain.body, '<title>&lt;b&gt;&amp;&quot;\n1.00 MiB, 25.0 %', 'names are text, whatever they hold')
    const file = readDump(gzipSync(text), 1 << 20, nameFrame)
    t.strictSame([file.format, [...stacks(file.profile.root)].length], ['heapprofile', 2])
  })

  t.test('of a heap snapshot that Node wrote', async t => {
    const folder = temporaryFolder(t)
    const file = join(folder, 'a.heapsnapshot')
    const script = `class Keeper { items = Array.from({ length: 20000 }, (_, i) => ({ text: 'item ' + i })) }
      globalThis.keeper = new Keeper(); require('node:v8').writeHeapSnapshot(${JSON.stringify(file)})`
    execFileSync(process.execPath, ['-e', script], { env: {} })
    const response = await upload(server, readFileSync(file))
    t.equal(response.statusCode, 200, response.body.slice(0, 200))
    const kept = /<title>object Keeper\n([\d.]+) MiB/.exec(response.body)
    t.ok(Number(kept?.[1]) > 1, `the keeper has what it keeps: ${kept?.[1]} MiB`)
  })

  t.test('of a file of pprof', async t => {
    const response = await upload(server, gzipSync(pprofFile()))
    t.equal(response.statusCode, 200, response.body.slice(0, 200))
    t.match(response.body, '<title>outer main.go:3\n2.00 MiB, 100.0 %')
    t.match(response.body, '<title>inner main.go:7\n2.00 MiB, 100.0 %, 2.00 MiB itself')
  })

  t.test('of what this server dumps itself', async t => {
    await server.main.inject({ method: 'POST', url: '/debug/prof/mem/activate' })
    const held = Array.from({ length: 100_000 }, (_, i) => [i])
    const dump = await server.main.inject({ method: 'POST', url: '/debug/prof/mem?output=proto' })
    const response = await upload(server, dump.rawPayload)
    t.equal(response.statusCode, 200)
    t.match(response.body, /<title>[^<\n]*symbol\.test\.ts/)
    t.ok(held.length)
  })

  t.test('and nothing else does', async t => {
    const wrong: [string | Buffer, RegExp][] = [
      ['{"head":', /^the body is not valid JSON: /],
      ['{"a":1}', /^the body is JSON, but no heap dump: a \.heapprofile has the key head/],
      ['{"head":{"callFrame":{},"selfSize":1,"children":[]}}', /no heap dump/],
      ['heap profile: 1: 2', /^the body is not a heap dump: not JSON, and as a file of pprof /],
      [Buffer.from([0x1f, 0x8b, 8, 0, 1]), /^the body is not valid gzip/],
      [JSON.stringify(snapshot({ nodes: [0, 0, 1, 0, 5] })), /^the body is not a valid heap snapshot: node 0 has more/],
      [JSON.stringify(snapshot({ edges: [0, 0, 99] })), /^the body is not a valid heap snapshot: edge 0 leads to no/],
      [JSON.stringify(snapshot({ nodes: [1, 2, 3] })), /^the body is not a valid heap snapshot: 3 numbers/]
    ]
    for (const [body, message] of wrong) {
      t.throws(() => readDump(Buffer.from(body), 1 << 20, nameFrame), {
        code: 'InvalidArguments',
        status: 400,
        message
      })
    }
    const [[body, error]] = wrong as [[string, RegExp]]
    const response = await upload(server, body)
    t.equal(response.statusCode, 400)
    t.match(response.json(), { code: 1004, error })
  })
})

t.test('a dump is bounded before and after unpacking', async t => {
  const server = await startServer(t, '[plugins.profiling]\nmax_upload = "4KiB"')
  const text = JSON.stringify({ ...heapProfile, padding: ' '.repeat(5000) })
  for (const body of [text, gzipSync(text)]) {
    const response = await upload(server, body)
    t.equal(response.statusCode, 413)
    t.match(response.json().error, /larger than 4096 bytes \(plugins\.profiling\.max_upload\)/)
  }
})

t.test('keepers are those that every way from the root goes through', async t => {
  for (let seed = 0; seed < 300; seed++) {
    const random = Random.at(seed, 0)
    const count = random.between(2, 12)
    const edges = Array.from({ length: count }, () =>
      Array.from({ length: random.between(0, 3) }, () => random.between(0, count - 1))
    )
    const starts = Uint32Array.from([0, ...edges.map((_, i) => edges.slice(0, i + 1).flat().length)])
    const graph = { count, sizes: new Float64Array(count), starts, targets: Uint32Array.from(edges.flat()) }
    const { order, keeper } = dominators(graph)
    const reached = reach(edges, -1)
    t.strictSame(new Set(order), reached, `seed ${seed}`)
    for (const node of order) {
      if (node === 0) continue
      // Without its keeper it is out of reach, and so it is for no other but the keeper's own keepers.
      const needed = [...reached].filter(other => other !== node && !reach(edges, other).has(node))
      const above = new Set<number>()
      for (let at = keeper[node]!; !above.has(at); at = keeper[at]!) above.add(at)
      t.strictSame(new Set(needed), above, `seed ${seed}, node ${node}`)
    }
  }
})

/** What can be reached from node 0 without going through `without`. */
function reach(edges: readonly (readonly number[])[], without: number): Set<number> {
  const found = new Set(without === 0 ? [] : [0])
  for (const node of found) for (const target of edges[node]!) if (target !== without) found.add(target)
  return found
}

/** The smallest that is whole, with parts replaced. */
function snapshot(parts: object): object {
  const meta = {
    node_fields: ['type', 'name', 'id', 'self_size', 'edge_count'],
    node_types: [['hidden', 'object'], 'string', 'number', 'number', 'number'],
    edge_fields: ['type', 'name_or_index', 'to_node'],
    edge_types: [['context', 'weak'], 'string_or_number', 'node']
  }
  return { snapshot: { meta }, nodes: [0, 0, 1, 0, 1], edges: [0, 0, 0], strings: ['a'], ...parts }
}

function pprofFile(): Uint8Array {
  const texts = new StringTable()
  const type = (name: string, unit: string) => new ValueType({ type: texts.dedup(name), unit: texts.dedup(unit) })
  const place = (id: number, name: string, line: number) => ({
    function: new Code({ id, name: texts.dedup(name), filename: texts.dedup('main.go') }),
    location: new Location({ id, line: [new Line({ functionId: id, line })] })
  })
  const places = [place(1, 'inner', 7), place(2, 'outer', 3)]
  const label = [new Label({ key: texts.dedup('bytes'), num: 64 })]
  return new Profile({
    sampleType: [type('inuse_objects', 'count'), type('inuse_space', 'bytes')],
    sample: [new Sample({ locationId: [1, 2], value: [3, 2 << 20], label })],
    function: places.map(each => each.function),
    location: places.map(each => each.location),
    stringTable: texts,
    timeNanos: 1n
  }).encode()
}
