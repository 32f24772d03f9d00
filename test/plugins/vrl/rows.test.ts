// Rows that a script makes of one item, as they are stored in tables.
import t from 'tap'
import { compile, identity, run } from '../pipelines/sample-run.ts'

const document = (processors: string, more = '') => `
version: 2
processors:
${processors}
transform: [{ field: t, type: 'time, ms', index: timestamp, on_failure: default }]
${more}`

const unnest = "  - vrl: { source: '.rows' }"

t.test('a dispatcher sends on every row by its own value', async t => {
  const rules = 'dispatcher: { field: kind, rules: [{ value: x, table_suffix: _x }] }'
  const item = {
    rows: [
      { kind: 'x', n: 1n },
      { kind: 'y', n: 2n },
      { kind: 'x', n: 3n }
    ]
  }
  const { shown } = run(document(unnest, rules), [item], { pipeline: () => identity })
  t.strictSame(
    shown.map(({ table, rows }) => [table, rows.map(({ n }) => n)]),
    [
      ['t_x', [1n, 3n]],
      ['t', [2n]]
    ]
  )
})

t.test('failing rows are told with the place of their item', async t => {
  const items = [{ rows: [{ n: 1n }] }, { rows: [{ n: 1n }, 2n] }, { rows: 'none' }]
  const { shown, skipped } = run(document(unnest), items, { skipError: true })
  t.equal(shown[0]?.rows.length, 2)
  t.strictSame([skipped.count, skipped.errors.map(({ index }) => index)], [2, [1, 2]])
  t.throws(() => run(document(unnest), items), /item 1: .*Array element at index 1 must be an object/)
})

t.test('a pipeline runs again and again, and nothing of a run is left for the next', async t => {
  const pipeline = compile(
    document("  - vrl: { source: '.n = %n; %n = 1; if .x == 1 { abort }; .list = push!(.list, 1); .' }")
  )
  for (let i = 0; i < 3; i++) {
    const { shown, skipped } = run(
      pipeline,
      [
        { x: 1n, list: [] },
        { x: 2n, list: [] }
      ],
      { skipError: true }
    )
    t.equal(skipped.count, 1)
    t.strictSame(
      shown[0]?.rows.map(({ n, list }) => [n, list]),
      [[undefined, '[1]']]
    )
  }
})

t.test('more rows than the batch had room for', async t => {
  const items = Array.from({ length: 10 }, (_, i) => ({
    rows: Array.from({ length: 100 }, (_, n) => ({ n: BigInt(i * 100 + n) }))
  }))
  const { shown } = run(document(unnest), items)
  t.strictSame(
    shown[0]?.rows.map(({ n }) => n),
    Array.from({ length: 1000 }, (_, n) => BigInt(n))
  )
})
