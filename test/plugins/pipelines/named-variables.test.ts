// Table-option variables: only those named in the pipeline's own text count, whatever fields the items have.
import t from 'tap'
import type { Item } from '../../../core/index.ts'
import { run } from './sample-run.ts'

const values: Readonly<Record<string, string>> = {
  svc_ttl: '7days',
  svc_append_mode: 'false',
  svc_merge_mode: 'last_non_null',
  svc_physical_table: 'store',
  svc_skip_wal: 'true',
  svc_auto_create_table: 'false',
  svc_table_suffix: '_x'
}

/** Steps that write the variable, from a field `v` that holds its value. */
const naming: Readonly<Record<string, (name: string) => string>> = {
  dissect: name => `dissect: { field: v, pattern: '%{${name}}' }`,
  regex: name => `regex: { fields: ['v, svc'], pattern: '(?P<${name.slice(4)}>.*)' }`,
  letter: name => `letter: { fields: ['v, ${name}'], method: lower }`,
  gsub: name => `gsub: { fields: ['v, ${name}'], pattern: 'nothing', replacement: '' }`,
  csv: name => `csv: { field: v, target_fields: '${name}' }`,
  select: name => `select: { fields: [{ key: v, rename_to: ${name} }, { key: text, rename_to: text2 }, n, message] }`,
  assignment: name => `vrl: { source: '.${name} = .v\n\n      .' }`,
  'assignment of a literal': name => `vrl: { source: '.${name} = "${values[name]}"\n\n      .' }`,
  'assignment by a variable': name => `vrl: { source: 'x = {}\n\n      x.${name} = .v\n\n      merge!(., x)' }`,
  'handled assignment': name => `vrl: { source: '.${name}, err = to_string(.v)\n\n      .' }`,
  'key of an object': name => `vrl: { source: '. = merge(., {"${name}": .v})\n\n      .' }`,
  'constant object': name => `vrl: { source: '. |= {"${name}": "${values[name]}"}\n\n      .' }`,
  set: name => `vrl: { source: '. = set!(., ["${name}"], .v)\n\n      .' }`,
  'rows of a script': name => `vrl: { source: '.${name} = .v\n\n      [., .]' }`
}

/** Steps that leave it alone, or let it come with data. */
const passing: Readonly<Record<string, (name: string) => string>> = {
  nothing: () => `letter: { fields: ['v, other'], method: lower }`,
  'merge of parsed text': () => `vrl: { source: '. = merge(., object!(parse_json!(.text)))\n\n      .' }`,
  'parsed text as the item': () => `vrl: { source: '. = object!(parse_json!(.text))\n\n      .' }`,
  'computed keys': () =>
    `vrl: { source: 'for_each(object!(parse_json!(.text))) -> |k, v| { . = set!(., [k], v) }\n\n      .' }`,
  'a branch that is not taken': name => `vrl: { source: 'if .n == 99 { .${name} = .v }\n\n      .' }`,
  'a step whose field is missing': name => `dissect: { field: missing, pattern: '%{${name}}', ignore_missing: true }`,
  reading: name => `vrl: { source: '.copy = .${name}\n\n      .' }`,
  filter: name => `filter: { field: ${name}, targets: [nothing] }`,
  'data over what was written': () => `vrl: { source: '. = merge(., object!(parse_json!(.text)))\n\n      .' }`
}

const pipeline = (...steps: string[]) => `
version: 2
processors:
${steps.map(step => `  - ${step}`).join('\n')}
  - epoch: { field: at, resolution: ms, ignore_missing: true }
transform:
  - { field: at, type: 'time, ms', index: timestamp, on_failure: default }
`

/** What the write says of the variable; undefined: nothing. */
function counted(yaml: string, name: string, items: readonly Item[]) {
  const { shown, writes, skipped } = run(yaml, items, { skipError: true })
  if (shown.length === 0) throw new Error(`no rows: ${JSON.stringify(skipped)}`)
  return shown.map(({ table, options, columns }, i) => {
    const isColumn = columns.some(column => column.startsWith(`${name} `))
    if (name === 'svc_table_suffix') return { counts: table !== 't', isColumn }
    if (name === 'svc_auto_create_table') return { counts: writes[i]!.autoCreate !== undefined, isColumn }
    const option = options?.[name.slice(4) as keyof typeof options]
    return { counts: option !== undefined && !(name === 'svc_append_mode' && option === true), isColumn }
  })
}

for (const [name, value] of Object.entries(values)) {
  const bases: Readonly<Record<string, Item>> = {
    'an item without it': {},
    'an item with the same value': { [name]: value },
    'an item with another value': { [name]: name === 'svc_ttl' ? '1s' : 'other' }
  }
  const item = (base: Item): Item => ({ ...base, n: 1n, v: value, text: JSON.stringify({ [name]: value }) })

  t.test(`${name} counts where the text names it`, async t => {
    for (const [how, step] of Object.entries(naming)) {
      for (const [what, base] of Object.entries(bases)) {
        t.same(
          counted(pipeline(step(name)), name, [item(base)]),
          [{ counts: true, isColumn: false }],
          `${how}, ${what}`
        )
      }
    }
  })

  t.test(`${name} is a column where it comes with data`, async t => {
    for (const [how, step] of Object.entries(passing)) {
      for (const [what, base] of Object.entries(bases)) {
        const steps = how.startsWith('data over') ? [naming['dissect']!(name), step(name)] : [step(name)]
        // Merging the value that was written makes no difference.
        const data = how.startsWith('data over')
          ? JSON.stringify({ [name]: `${value} ` })
          : JSON.stringify({ [name]: value })
        const found = counted(pipeline(...steps), name, [{ ...item(base), text: data }])
        t.notOk(found[0]!.counts, `${how}, ${what}`)
        t.equal(found.length, 1)
      }
    }
  })
}

t.test('variables of one item do not count for another', async t => {
  const yaml = pipeline(`vrl: { source: 'if .n == 1 { .svc_ttl = "7d" }\n\n      .' }`)
  const { shown } = run(yaml, [{ n: 1n, svc_ttl: '1s' }, { n: 2n, svc_ttl: '1s' }, { n: 3n }])
  t.same(
    shown.map(({ options, rows }) => [options?.ttl, rows.map(row => [row['n'], row['svc_ttl']])]),
    [
      ['7days', [[1n, undefined]]],
      [
        undefined,
        [
          [2n, '1s'],
          [3n, null]
        ]
      ]
    ]
  )
})

t.test('a value that is not an option fails its item and no other', async t => {
  for (const [name, wrong] of [
    ['svc_ttl', 'x'],
    ['svc_append_mode', 'maybe'],
    ['svc_merge_mode', 'first_row'],
    ['svc_skip_wal', '1'],
    ['svc_auto_create_table', 'yes'],
    ['svc_table_suffix', 'x'.repeat(300)],
    ['svc_physical_table', 't'],
    ['svc_physical_table', '']
  ] as const) {
    const yaml = pipeline(`vrl: { source: '.${name} = .v\n\n      .' }`)
    const items: Item[] = [
      { n: 1n, v: values[name]! },
      { n: 2n, v: wrong },
      { n: 3n, v: values[name]! }
    ]
    t.throws(
      () => run(yaml, items),
      { code: 'InvalidArguments', message: new RegExp(`^item 1: variable ${name}`) },
      name
    )
    const { shown, skipped } = run(yaml, items, { skipError: true })
    t.same(
      shown.flatMap(({ rows }) => rows.map(row => row['n'])),
      [1n, 3n],
      name
    )
    t.match(skipped, { count: 1, errors: [{ index: 1, message: new RegExp(`variable ${name}`) }] })
  }
})
