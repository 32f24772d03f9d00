// Unknown keys of documents are accepted with warnings, and are errors if the request says `strict`.
import t from 'tap'
import { processors } from '../../../plugins/processors.ts'
import { startServer } from '../../helpers.ts'
import { processorTime } from '../../time.ts'
import { compile } from './sample-run.ts'

const head = 'processors: [{ date: { field: at } }]\n'

t.test('an unknown key of each level is told with its line and the key that is meant', t => {
  const cases: [yaml: string, line: number, key: string, meant: string | undefined, message: RegExp][] = [
    [`${head}transfroms: []\n`, 2, 'transfroms', 'transforms', /^document: unknown key transfroms \(line 2\), did/],
    [`${head}labels: 7\n`, 2, 'labels', undefined, /expected one of version, description, processors, transform, /],
    [
      'processors:\n  - date:\n      field: at\n      timezon: UTC\n',
      4,
      'timezon',
      'timezone',
      /^processors\[0\]\.date: /
    ],
    ['processors:\n  - date: { field: at, ignore_mising: true }\n', 2, 'ignore_mising', 'ignore_missing', /./],
    [
      'processors:\n  - date: { field: at }\n    epoch: { field: b }\n',
      3,
      'epoch',
      undefined,
      /^processors\[0\]: unknown key epoch \(line 3\), it stands beside date: options are indented/
    ],
    [
      'processors:\n  - letter:\n      fields:\n        - { key: at, rename_to: ts }\n        - key: b\n          rename_to: c\n          rename: d\n  - date: { field: at }\n',
      7,
      'rename',
      'rename_to',
      /^processors\[0\]\.letter\.fields\[1\]: /
    ],
    [
      `${head}transform:\n  - field: at\n    type: time\n    idx: timestamp\n`,
      5,
      'idx',
      undefined,
      /^transform\[0\]: unknown key idx \(line 5\), expected one of field, /
    ],
    [
      `${head}transforms:\n  - field: { key: at, rename_to: b, to: c }\n    type: time\n`,
      3,
      'to',
      undefined,
      /\[0\]\.field: /
    ],
    [`${head}dispatcher:\n  field: a\n  rule: []\n`, 4, 'rule', 'rules', /^dispatcher: /],
    [
      `${head}dispatcher:\n  field: a\n  rules:\n    - value: 1\n      table_sufix: _a\n      table_suffix: _b\n`,
      6,
      'table_sufix',
      'table_suffix',
      /^dispatcher\.rules\[0\]: /
    ]
  ]
  for (const [yaml, line, key, meant, message] of cases) {
    const { warnings } = compile(yaml)
    t.equal(warnings.length, 1, yaml)
    const [warning] = warnings
    t.match(warning, { line, key, message }, yaml)
    t.equal(warning?.did_you_mean, meant, yaml)
  }
  t.end()
})

t.test('keys that a kind describes are known, and so are those of the examples', t => {
  for (const { kind, doc } of processors) {
    t.type(doc, 'object', `${kind} describes its options`)
    const time = kind === 'date' || kind === 'epoch' ? '' : '  - epoch: { field: t }\n'
    t.strictSame(compile(`processors:\n  - ${doc!.example.yaml}\n${time}`).warnings, [], kind)
  }
  t.end()
})

t.test('a document full of unknown keys is answered with the first hundred, at once', t => {
  const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}: 1`).join('\n')
  const start = processorTime()
  const { warnings } = compile(`${head}${keys}\n`)
  t.equal(warnings.length, 100)
  t.ok(processorTime() - start < 2000)
  t.end()
})

t.test('creation and dry run answer warnings, and refuse where strict=true', async t => {
  const { addresses } = await startServer(t)
  const post = async (path: string, body: string, type = 'application/json') => {
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    const response = await fetch(`${addresses.main}/v1/pipelines/${path}`, init)
    // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
    return { status: response.status, body: (await response.json()) as any }
  }
  const yaml = 'processors:\n  - epoch:\n      field: t\n      resoluton: s\nowner: me\n'
  const warnings = [
    {
      line: 5,
      key: 'owner',
      message: /^document: unknown key owner/
    },
    {
      line: 4,
      key: 'resoluton',
      did_you_mean: 'resolution',
      message: 'processors[0].epoch: unknown key resoluton (line 4), did you mean resolution?'
    }
  ]
  const made = await post('p', yaml, 'text/yaml')
  t.match(made, { status: 200, body: { pipelines: [{ name: 'p' }], warnings } })
  t.equal(made.body.warnings.length, 2)
  const refused = {
    status: 400,
    body: { code: 1004, error: /unknown key owner \(line 5\).*; 1 more \(strict=true\)$/ }
  }
  t.match(await post('q?strict=true', yaml, 'text/yaml'), refused)
  t.match(await post('_dryrun', JSON.stringify({ pipeline_name: 'q', data: { t: 1 } })), { status: 400 }, 'not stored')
  t.match(await post('q?strict=yes', yaml, 'text/yaml'), {
    status: 400,
    body: { error: /strict must be true or false/ }
  })
  const clean = await post('r?strict=true', 'processors: [{ epoch: { field: t } }]', 'text/yaml')
  t.match(clean, { status: 200 })
  t.notOk('warnings' in clean.body)

  const data = [{ t: 1 }]
  for (const source of [{ pipeline: yaml }, { pipeline_name: 'p' }]) {
    const plain = await post('_dryrun', JSON.stringify({ ...source, data }))
    t.match(plain, { status: 200, body: { output: [{ rows: [[{ key: 't', value: 1 }]] }], warnings } })
    t.notOk('trace' in plain.body)
    const traced = await post('_dryrun', JSON.stringify({ ...source, data, trace: true }))
    t.match(traced, { status: 200, body: { output: [{}], trace: [{ index: 0 }], warnings } })
    t.match(await post('_dryrun', JSON.stringify({ ...source, data, strict: true })), { status: 400 })
    t.match(await post('_dryrun?strict=true', JSON.stringify({ ...source, data })), { status: 400 })
  }
  t.match(await post('_dryrun?pipeline_name=p&strict=true', JSON.stringify(data)), { status: 400 })
  t.match(await post('_dryrun?pipeline_name=p', JSON.stringify(data)), { status: 200, body: { warnings } })
  t.ok(Array.isArray((await post('_dryrun?pipeline_name=r', JSON.stringify(data))).body), 'a list without warnings')
})
