import t from 'tap'
import { compilePipeline } from '../../../plugins/pipelines/document/compile.ts'
import type { Pipeline } from '../../../plugins/pipelines/pipeline.ts'
import { processors } from '../../../plugins/processors.ts'
import type { ProcessorDefinition } from '../../../plugins/services.ts'
import { compile, identity, run } from './sample-run.ts'

const plain = 'transform: [{ field: line, type: string }]'
const split = (names: string) => `processors:\n  - dissect: { field: line, pattern: "${names}" }\n`

t.test('a table suffix is filled in row by row', async t => {
  const text = `${plain}\ntable_suffix: _\${ region }_\${shard}`
  const { shown } = run(text, [
    { line: 'a', region: 'eu', shard: 3n },
    { line: 'b', region: 'us', shard: 3n },
    { line: 'c', region: 'eu', shard: 3n },
    { line: 'd', region: 'eu' },
    { line: 'e', region: 'eu', shard: 1.5 }
  ])
  t.same(
    shown.map(({ table, rows }) => [table, ...rows.map(row => row['line'])]),
    [
      ['t_eu_3', 'a', 'c'],
      ['t_us_3', 'b'],
      ['t', 'd', 'e']
    ]
  )
  t.throws(() => compile(`${plain}\ntable_suffix: 5`), /table_suffix must be a string/)
})

t.test('the tables of one request are limited', async t => {
  const text = `${plain}\ntable_suffix: _\${n}`
  const items = Array.from({ length: 5 }, (_, n) => ({ n: BigInt(n), line: 'x' }))
  t.equal(run(text, items, { maxGroups: 5 }).writes.length, 5)
  t.throws(() => run(text, items, { maxGroups: 4 }), {
    code: 'InvalidArguments',
    message: /more than 4 tables.*max_groups = 4/
  })
})

t.test('in version 2 a suffix sees only what the transforms left', async t => {
  const text = (version: number) =>
    `version: ${version}\nprocessors: [{ epoch: { field: ts } }]\ntransform: [{ field: k, type: string }, { field: ts, type: time, index: timestamp }]\ntable_suffix: _\${k}`
  t.equal(run(text(1), [{ k: 'x', ts: 1n }]).shown[0]?.table, 't_x')
  t.equal(run(text(2), [{ k: 'x', ts: 1n }]).shown[0]?.table, 't')
})

t.test('variables written by a processor set table options and group the rows', async t => {
  const text = `${split('%{svc_ttl} %{svc_table_suffix} %{msg}')}transform: [{ field: msg, type: string }]`
  const { shown, writes } = run(text, [
    { line: '7d _a one' },
    { line: '7d _b two' },
    { line: '1d _a three' },
    { line: '7d _a four' }
  ])
  t.same(
    shown.map(({ table, options, rows }) => [table, options?.ttl, ...rows.map(row => row['msg'])]),
    [
      ['t_a', '7days', 'one', 'four'],
      ['t_b', '7days', 'two'],
      ['t_a', '1day', 'three']
    ]
  )
  t.equal(writes[0]?.options?.append_mode, true)
})

t.test('every variable has its effect', async t => {
  const one = (pattern: string, line: string) =>
    run(`${split(pattern)}transform: [{ field: msg, type: string }]`, [{ line }], { options: { ttl: '9days' } })
      .writes[0]
  t.same(one('%{svc_append_mode} %{msg}', 'false x')?.options, { append_mode: false, ttl: '9days' })
  t.same(one('%{svc_merge_mode} %{msg}', 'last_non_null x')?.options, {
    append_mode: false,
    merge_mode: 'last_non_null',
    ttl: '9days'
  })
  t.same(one('%{svc_skip_wal} %{svc_physical_table} %{msg}', 'true p x')?.options, {
    append_mode: true,
    skip_wal: true,
    physical_table: 'p',
    ttl: '9days'
  })
  t.equal(one('%{svc_auto_create_table} %{msg}', 'false x')?.autoCreate, false)
  t.throws(() => one('%{svc_auto_create_table} %{msg}', 'maybe x'), /svc_auto_create_table must be true or false/)
  t.throws(() => one('%{svc_ttl} %{msg}', 'soon x'), {
    code: 'InvalidArguments',
    message: /^item 0: variable svc_ttl: /
  })
})

t.test('fields of these names that items bring are ordinary columns unless configured otherwise', async t => {
  const item = () => ({ svc_ttl: '1d', svc_table_suffix: '_x', a: 'b' })
  const plainRun = run(identity, [item()]).shown[0]
  t.equal(plainRun?.table, 't')
  t.match(plainRun?.rows, [{ svc_ttl: '1d', svc_table_suffix: '_x', a: 'b' }])
  const opened = run(identity, [item()], { variablesFromInput: true }).shown[0]
  t.equal(opened?.table, 't_x')
  t.equal(opened?.options?.ttl, '1day')
  t.same(opened?.columns, ['svc_timestamp TimestampNanosecond timestamp', 'a String'])
  const text = `version: 2\nprocessors:\n  - dissect: { field: line, pattern: "%{svc_ttl} %{msg}", ignore_missing: true }\n  - epoch: { field: ts }\n`
  const mixed = run(text, [
    { ts: 1n, svc_ttl: '1d' },
    { ts: 1n, svc_ttl: '1d', line: '2d x' }
  ])
  t.same(
    mixed.shown.map(({ options, rows }) => [options?.ttl, rows[0]?.['svc_ttl']]),
    [
      [undefined, '1d'],
      ['2days', undefined]
    ]
  )
})

t.test('a dispatcher hands items on by value and type', async t => {
  const pipelines: Record<string, Pipeline> = {
    cards: compile(
      'processors: [{ dissect: { field: line, pattern: "%{n} %{rest}" } }]\ntransform: [{ field: n, type: int32 }]'
    )
  }
  const text = `
processors: [{ dissect: { field: line, pattern: "%{word} %{}" } }]
dispatcher:
  field: kind
  rules:
    - { value: card, table_suffix: _card, pipeline: cards }
    - { value: 7, table_suffix: _seven }
transform: [{ field: line, type: string }]`
  const lookUp = (name: string) => (name === 'svc_identity' ? identity : pipelines[name]!)
  const items = [
    { line: '1 x', kind: 'card' },
    { line: '2 x', kind: 7n },
    { line: '3 x', kind: '7' },
    { line: '4 x', kind: 7 },
    { line: '5 x' },
    { line: '6 x', kind: 'card' }
  ]
  const { shown } = run(text, items, { pipeline: lookUp })
  t.same(
    shown.map(({ table, rows }) => [table, ...rows.map(row => row['n'] ?? row['line'])]),
    [
      ['t_card', 1, 6],
      ['t_seven', '2 x'],
      ['t', '3 x', '4 x', '5 x']
    ]
  )
  t.same(shown[1]?.columns, ['svc_timestamp TimestampNanosecond timestamp', 'kind Int64', 'line String', 'word String'])
})

t.test('failures after a dispatch name the item of the request', async t => {
  const strict = compile('processors: [{ epoch: { field: line } }]\ntransform: [{ field: line, type: time }]')
  const text = `dispatcher: { field: kind, rules: [{ value: a, table_suffix: _a, pipeline: strict }] }\n${plain}`
  const items = [{ line: '1' }, { line: '1', kind: 'a' }, { line: 'x', kind: 'a' }]
  t.throws(() => run(text, items, { pipeline: () => strict }), /^item 2: Processor epoch: not an integer/)
  const result = run(text, items, { pipeline: () => strict, skipError: true })
  t.same([result.skipped.count, result.skipped.errors[0]?.index], [1, 2])
})

t.test('a dispatch that runs in circles ends', async t => {
  const text = `dispatcher: { field: kind, rules: [{ value: a, table_suffix: _a, pipeline: self }] }\n${plain}`
  const self = compile(text)
  t.throws(() => run(self, [{ kind: 'a' }], { pipeline: () => self }), /more than 8 pipelines/)
})

t.test('wrong dispatchers are refused', async t => {
  const wrong: [string, RegExp][] = [
    ['5', /dispatcher must be a map/],
    ['{ rules: [] }', /field is required/],
    ['{ field: a, rules: x }', /rules must be a list/],
    ['{ field: a, rules: [{ table_suffix: x }] }', /rules\[0\] \(line 1\): value is required/],
    ['{ field: a, rules: [{ value: 1 }] }', /table_suffix is required/],
    ['{ field: a, rules: [{ value: 1, table_suffix: x, pipeline: 5 }] }', /pipeline must be a string/]
  ]
  for (const [text, message] of wrong) t.throws(() => compile(`dispatcher: ${text}\n${plain}`), message, text)
})

t.test('a transform of version 1 may store a variable, too, and equal options are one object', async t => {
  const text = `${split('%{svc_ttl} %{svc_table_suffix} %{msg}')}transform: [{ field: svc_ttl, type: string }]`
  const { shown, writes } = run(text, [{ line: '7d _a x' }, { line: '7d _b x' }])
  t.same(
    shown.map(({ rows }) => rows[0]?.['svc_ttl']),
    ['7d', '7d']
  )
  t.equal(writes[0]?.options, writes[1]?.options)
})

t.test('a processor makes several rows of an item; each keeps its place, its source and its variables', async t => {
  const words: ProcessorDefinition = {
    kind: 'words',
    compile: () => ({
      apply(batch) {
        for (let row = 0, end = batch.rows; row < end; row++) {
          const [first = '', ...others] = batch.text(batch.getOrCreateField('line'), row).split(' ')
          batch.setText(batch.getOrCreateField('word'), row, first)
          for (const word of others) {
            const added = batch.addRow(row)
            batch.setText(batch.getOrCreateField('word'), added, word)
            batch.set(batch.getOrCreateField('svc_ttl'), added, batch.item(row)['svc_ttl'])
          }
        }
      }
    })
  }
  const text =
    'processors: [{ words: {} }, { epoch: { field: word } }]\nversion: 2\ntransform: [{ field: word, type: time, index: timestamp }]'
  const pipeline = compilePipeline(text, new Map([...processors, words].map(kind => [kind.kind, kind])))
  const items = [{ line: '1 2 3', svc_ttl: '1d' }, { line: '4' }, { line: '5 x 6' }]
  const { shown, skipped } = run(pipeline, items, { skipError: true })
  t.same(
    shown.flatMap(({ rows }) => rows.map(row => Number(row['word']) / 1e6)),
    [1, 2, 3, 4, 5, 6]
  )
  t.equal(shown[0]?.options?.ttl, undefined, 'what came with the item and was only handed on is not a variable')
  t.match(skipped, { count: 1, errors: [{ index: 2 }] })
})
