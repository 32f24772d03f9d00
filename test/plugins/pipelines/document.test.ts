import fc from 'fast-check'
import t from 'tap'
import { type Item, type ItemBatch, isDbError } from '../../../core/index.ts'
import { parseDocument } from '../../../plugins/pipelines/document/document.ts'
import { compile, processed, run } from './sample-run.ts'

t.test('YAML faults name line and column', async t => {
  t.throws(() => parseDocument('a: [1\nb: 2'), {
    code: 'InvalidArguments',
    message: /^Yaml parse error: .* at line 2, column 1$/
  })
  t.throws(() => parseDocument(''), /expected exactly one document, found 0/)
  t.throws(() => parseDocument('a: 1\n---\nb: 2'), /expected exactly one document, found 2, the second at line 2/)
  t.throws(() => parseDocument('---\n'), /expected a map at the top/)
  t.throws(() => parseDocument('5: x'), /key 5 must be a string/)
  t.throws(
    () => parseDocument('a: 1\nb: { c: 1,\n c: 2 }'),
    /Yaml parse error: key c stands twice in a map, again at line 3, column 2/
  )
  t.throws(() => parseDocument(`a: ${'['.repeat(20_000)}`), /Yaml parse error/)
})

t.test('sections are read leniently where the reference is, strictly elsewhere', async t => {
  const {
    line: _line,
    lineNumber: _number,
    root: _root,
    ...lenient
  } = parseDocument('version: "2"\nprocessors: 5\ntransform: x\nother: 1')
  t.same(lenient, {
    version: 2,
    processors: [],
    transforms: undefined,
    dispatcher: undefined,
    tableSuffix: undefined
  })
  t.equal(parseDocument('---\nversion: null').version, 1)
  for (const version of ['3', '1.0', 'x', '[1]']) {
    t.throws(() => parseDocument(`version: ${version}`), /invalid version number/, version)
  }
  const both = parseDocument('transform: [{a: 1}]\ntransforms: [{b: 2}]')
  t.same(both.transforms, [{ value: new Map([['b', 2n]]), where: 'transforms[0] (line 2)' }])
})

t.test('processors are checked entry by entry', async t => {
  const wrong: [string, RegExp][] = [
    ['- date:\n  field: x', /processors\[0\] \(line 2\), date: options must be a map, indented below the kind/],
    ['- nope: {}', /Unsupported nope processor, known kinds are .*date, .*dissect, epoch/],
    ['- dissekt: {}', /\(line 2\): Unsupported dissekt processor, known kinds .*, did you mean dissect\?$/],
    ['- timestamp: { field: x }', /Unsupported timestamp processor/],
    ['- text', /a processor must be a map/],
    ['- epoch: { field: x, ignore_missing: yes }', /ignore_missing must be true or false/],
    ['- epoch: { field: 5 }', /a field must be a string/],
    ['- epoch: { field: " , x" }', /a field name is empty/],
    ['- epoch: { fields: x }', /fields must be a list/],
    ['- epoch: { field: { key: a } }', /Field renaming must be a string pair/],
    ['- epoch: { field: x, 5: y }', /option 5 must be a string/]
  ]
  for (const [entry, message] of wrong) {
    t.throws(() => compile(`processors:\n${entry}`), { code: 'InvalidArguments', message }, entry)
  }
})

t.test('faults of the other sections have their line, too', async t => {
  const wrong: [string, RegExp][] = [
    ['version: 7', /invalid version number: 7, expected 1 or 2 \(line 3\)/],
    ['dispatcher: 5', /dispatcher \(line 3\): dispatcher must be a map/],
    [
      'dispatcher:\n  field: a\n  rules:\n    - value: 1',
      /dispatcher\.rules\[0\] \(line 6\): table_suffix is required/
    ],
    ['table_suffix: [a]', /table_suffix \(line 3\): table_suffix must be a string/],
    ['version: 2', /Illegal number of time indexes.*found 0 \(line 3\)/],
    ['dispatcher: { field: a, rules: [{ value: &a [*a], table_suffix: x }] }', /line \d/]
  ]
  for (const [text, message] of wrong) {
    t.throws(
      () => compile(`transform:\n  - { field: a, type: string }\n${text}`),
      { code: 'InvalidArguments', message },
      text
    )
  }
  t.throws(() => compile('description: x\nprocessors: []'), /Exactly one time-related processor.*found 0.* \(line 2\)/)
})

t.test('fields are named in all three forms, and the later key wins', async t => {
  const copies = (fields: string) => processed(`  - epoch: { ${fields}, resolution: ns }`, { a: 1n, b: 2n })
  const keys = (fields: string) => Object.keys(copies(fields) as Item).sort()
  t.same(keys('fields: ["a, x, ignored", { key: b, rename_to: y }]'), ['a', 'b', 'x', 'y'])
  t.same(keys('field: "a, x", fields: ["b, y"]'), ['a', 'b', 'y'])
  t.same(keys('fields: ["b, y"], field: "a, x"'), ['a', 'b', 'x'])
})

t.test('a third party’s processor kind is used like a built-in one', async t => {
  const { compilePipeline } = await import('../../../plugins/pipelines/document/compile.ts')
  const shout = {
    kind: 'shout',
    compile: (options: { text(key: string): string | undefined }) => ({
      apply(batch: ItemBatch) {
        const target = batch.getOrCreateField(options.text('into') ?? 'out')
        for (let row = 0; row < batch.rows; row++) if (batch.isLive(row)) batch.setText(target, row, 'HEY')
      }
    })
  }
  const pipeline = compilePipeline(
    'processors: [{ shout: { into: x } }]\ntransform: [{ field: x, type: string }]',
    new Map([['shout', shout]])
  )
  t.match(run(pipeline, [{}]).shown[0]?.rows, [{ x: 'HEY' }])
})

t.test('no item makes a pipeline throw anything but an error about items', async t => {
  const pipeline = compile(`
version: 2
processors:
  - dissect: { field: a, patterns: ["%{b} %{+c/2} %{+c/1}", "%{d->},%{e}"], ignore_missing: true }
  - regex: { field: a, pattern: '(?<x>\\d+)(?<y>[a-z]*)', ignore_missing: true }
  - date: { field: b, formats: ["%Y-%m-%d %H:%M", "%s", "%j %G %V %u %I %p %z"], ignore_missing: true }
  - epoch: { field: d, resolution: us, ignore_missing: true }
transform:
  - { field: c, type: int8, on_failure: ignore }
  - { field: e, type: float64, on_failure: default }
  - { field: at, type: timestamp, index: timestamp, on_failure: default }
table_suffix: _\${x}`)
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[0-9a-z ,:+-]{0,20}$/),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double({ noNaN: true }),
    fc.constantFrom(null, true, false),
    fc.constant([1n, 'x']),
    fc.constant({ k: 1n })
  )
  const item = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', 'e', 'at', 'svc_ttl', 'zz'),
    value
  ) as fc.Arbitrary<Item>
  const check = fc.check(
    fc.property(fc.array(item, { maxLength: 5 }), items => {
      const { skipped, writes } = run(pipeline, items, { skipError: true })
      const written = writes.reduce((sum, write) => sum + write.rows, 0)
      try {
        run(pipeline, items)
        return skipped.count === 0 && written === items.length
      } catch (error) {
        return isDbError(error) && skipped.count > 0 && written === items.length - skipped.count
      }
    }),
    { numRuns: 150 }
  )
  t.notOk(check.failed, fc.defaultReportMessage(check) ?? '')
})
