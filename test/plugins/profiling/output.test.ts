import { gunzipSync } from 'node:zlib'
import { Profile as Decoded } from 'pprof-format'
import t from 'tap'
import { addCpuProfile } from '../../../plugins/profiling/cpu/tree.ts'
import { createFrameNamer, createFrameSet } from '../../../plugins/profiling/frame.ts'
import { drawFlameGraph } from '../../../plugins/profiling/output/flame-graph.ts'
import { encodePprof } from '../../../plugins/profiling/output/pprof.ts'
import { writeText } from '../../../plugins/profiling/output/text.ts'
import { callOf, createRoot, type Profile, totals } from '../../../plugins/profiling/profile.ts'

const frame = createFrameSet()

/** Stacks of `name|file|line`, callers first, and what each took. */
function profileOf(stacks: readonly (readonly [readonly string[], number])[], kind: Profile['kind'] = 'cpu'): Profile {
  const root = createRoot()
  for (const [names, self] of stacks) {
    let call = root
    for (const name of names) {
      const [word = '', file = '', line = '0'] = name.split('|')
      call = callOf(call, frame(word, file, Number(line)))
    }
    call.self += self
  }
  return { kind, root, time: 1_700_000_000_000, duration: 2000, period: 10_000_000, facts: ['a fact'] }
}

const recursive = profileOf([
  [['main|core/core.ts|1', 'again|plugins/sql/a.ts|5', 'again|plugins/sql/a.ts|5'], 300e6],
  [['main|core/core.ts|1', 'again|plugins/sql/a.ts|5'], 100e6],
  [['main|core/core.ts|1', 'emit|node:events'], 50e6],
  [['[native] duckdb'], 550e6]
])

t.test('text counts a function that calls itself once', async t => {
  const text = writeText(recursive, 'a title')
  t.match(text, /^a title\n\na fact\n/)
  t.match(text, / 400\.0 ms +40\.0 % +400\.0 ms +40\.0 % {2}again plugins\/sql\/a\.ts:5\n/)
  t.match(text, / 0\.0 ms +0\.0 % +450\.0 ms +45\.0 % {2}main core\/core\.ts:1\n/)
  t.match(text, /by plugin\n +550\.0 ms +55\.0 % {2}native\n +400\.0 ms +40\.0 % {2}sql\n +50\.0 ms +5\.0 % {2}core\n/)
})

t.test('pprof holds every stack with its values', async t => {
  const decoded = Decoded.decode(gunzipSync(await encodePprof(recursive)))
  const text = (index: number | bigint) => decoded.stringTable.strings[Number(index)]!
  const names = new Map(decoded.function.map(each => [Number(each.id), text(each.name)]))
  t.strictSame(
    decoded.sample.map(({ locationId, value, label }) => [
      locationId.map(id => names.get(Number(id))).join(' < '),
      value.map(Number),
      text(label[0]!.key),
      text(label[0]!.str)
    ]),
    [
      ['again < main', [10, 100e6], 'plugin', 'sql'],
      ['again < again < main', [30, 300e6], 'plugin', 'sql'],
      ['emit < main', [5, 50e6], 'plugin', 'core'],
      ['[native] duckdb', [55, 550e6], 'plugin', 'native']
    ]
  )
  t.equal(Number(decoded.timeNanos), 1_700_000_000e9)
  t.equal(Number(decoded.durationNanos), 2e9)
  t.strictSame(decoded.comment.map(text), ['a fact'])
  t.equal(text(decoded.defaultSampleType), 'cpu')
})

t.test('a flame graph places each call below its caller, as wide as what it took', async t => {
  const svg = drawFlameGraph(recursive, 'a <title>')
  const boxes = [...svg.matchAll(/data-from="([\d.]+)" data-share="([\d.]+)" data-depth="(\d+)"><title>([^\n<]+)/g)]
  t.strictSame(
    boxes.map(([, from, share, depth, name]) => [name, Number(from), Number(share), Number(depth)]),
    [
      ['all', 0, 1, 0],
      ['[native] duckdb', 0, 0.55, 1],
      ['main core/core.ts:1', 0.55, 0.45, 1],
      ['again plugins/sql/a.ts:5', 0.55, 0.4, 2],
      ['again plugins/sql/a.ts:5', 0.55, 0.3, 3],
      ['emit node:events', 0.95, 0.05, 2]
    ]
  )
  t.match(svg, '<title>a &lt;title&gt;</title>')
})

t.test('a picture of very many calls leaves out the smallest, and one of nothing is a picture', async t => {
  const many = Array.from({ length: 9000 }, (_, i) => [[`f${i % 90}`, `g${i}`], i + 1] as const)
  const svg = drawFlameGraph(profileOf(many), 'many')
  const count = svg.match(/class="frame"/g)!.length
  t.ok(count > 3500 && count <= 4000, `${count} frames`)
  t.match(svg, /<title>g8999\n/)
  t.match(drawFlameGraph(profileOf([]), 'none'), /<title>all\n/)
  t.match(writeText(profileOf([], 'heap'), 'none'), /of 0\.0 KiB/)
  const deep = profileOf([[Array.from({ length: 20_000 }, (_, i) => `d${i}`), 5]])
  t.equal(totals(deep.root).get(deep.root), 5, 'deeper than the stack')
})

t.test("V8's samples stand for the time until the next, without idle time", async t => {
  const call = (functionName: string, url = '') => ({ functionName, url, lineNumber: 0, columnNumber: 0 })
  const root = createRoot()
  const profile = {
    nodes: [
      { id: 1, callFrame: call('(root)'), children: [2, 3, 5] },
      { id: 2, callFrame: call('(idle)') },
      { id: 3, callFrame: call('run', 'file:///w/core/a.ts'), children: [4] },
      { id: 4, callFrame: call('step', 'file:///w/core/a.ts') },
      { id: 5, callFrame: call('never', 'file:///w/core/a.ts') }
    ],
    startTime: 1000,
    endTime: 1100,
    samples: [2, 3, 4, 2],
    timeDeltas: [10, 20, 30, 5]
  }
  const nameFrame = createFrameNamer({
    root: '/w/',
    modules: new Map()
  })
  t.equal(addCpuProfile(root, profile, nameFrame), 35_000)
  const [run] = root.calls.values()
  t.strictSame([root.calls.size, run!.frame.name, run!.self], [1, 'run', 30_000])
  t.strictSame(
    [...run!.calls.values()].map(({ frame, self }) => [frame.name, self]),
    [['step', 5000]]
  )
})
