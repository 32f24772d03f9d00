// Random and damaged pipeline documents: each compiles or is refused with a position.
import { stringify } from 'yaml'
import { type Item, ItemBatch, isDbError } from '../../core/index.ts'
import { compilePipeline } from '../../plugins/pipelines/document/compile.ts'
import type { Identity, Pipeline } from '../../plugins/pipelines/pipeline.ts'
import { runPipeline } from '../../plugins/pipelines/run/run.ts'
import { processors } from '../../plugins/processors.ts'
import { createRandom, type Fuzz, type Random } from './random.ts'

/** More processor time than this for one document and its run counts as a hang; milliseconds. */
const longest = 2000

const kinds = new Map(processors.map(kind => [kind.kind, kind]))
const identity: Identity = { kind: 'identity', maxNestedLevels: 10, lenientTime: false }
const names = ['a', 'b', 'message', 'at', 'svc_ttl', 'svc_table_suffix', 'ünï', '']
const patterns = [
  '%{a} %{b}',
  '%{+a/2} %{+a/1}',
  '%{a->},%{}',
  '%{*k}=%{&k}',
  '%{',
  '%{a}%{b}',
  '(?<a>\\w+) (?P<b>\\d*)',
  '(a+)+$',
  '(?=x)',
  '[',
  '\\d{4}',
  '$.a[?(@.b)].c',
  '$..',
  '$.[1]',
  '%Y-%m-%d %H:%M:%S',
  '%Q',
  ''
]
const words = [
  ...names,
  ...patterns,
  'a, b',
  'a.b.c',
  'upper',
  'capital',
  'decode',
  'include',
  'exclude',
  'in',
  'not_in',
  's',
  'ns',
  'Asia/Tokyo',
  'nowhere/land',
  'numbers',
  'uuid',
  ',',
  '"',
  '_$' + '{a}',
  '${',
  'int32',
  'uint64',
  'string',
  'json',
  'timestamp',
  'time, ms',
  'tag',
  'fulltext',
  'skipping',
  'ignore',
  'default'
]
const sections = [
  'version',
  'description',
  'processors',
  'transform',
  'transforms',
  'dispatcher',
  'table_suffix',
  'extra'
]
const optionNames = [
  'field',
  'fields',
  'ignore_missing',
  'pattern',
  'patterns',
  'formats',
  'timezone',
  'resolution',
  'append_separator',
  'replacement',
  'separator',
  'method',
  'target_fields',
  'quote',
  'trim',
  'empty_value',
  'json_path',
  'result_index',
  'key',
  'presets',
  'regex',
  'type',
  'mode',
  'match_op',
  'case_insensitive',
  'targets',
  'source'
]
const transformKeys = ['field', 'fields', 'type', 'index', 'tag', 'on_failure', 'default']

const types = ['int8', 'int32', 'uint64', 'float64', 'boolean', 'string', 'json', 'time, ms', 'epoch']

/** Options that each kind takes. */
const samples: Readonly<Record<string, Record<string, unknown>>> = {
  dissect: { pattern: '%{a} %{+b} %{+b}' },
  regex: { pattern: '(?<a>\\w+)' },
  gsub: { pattern: '\\d+', replacement: '$0-' },
  date: { formats: ['%Y-%m-%d %H:%M:%S', '%s'] },
  csv: { target_fields: 'a, b, c' },
  join: { separator: '|' },
  digest: { presets: ['uuid', 'ip', 'quoted', 'bracketed', 'numbers'], regex: ['x+'] },
  json_path: { json_path: '$.a[?(@.b)].c' },
  simple_extract: { key: 'b.c' },
  filter: { targets: ['x y', 'true'] },
  select: { fields: ['a', 'b', 'at'] },
  vrl: { source: '.a = 1\n.' }
}

export const fuzz: Fuzz = (seed, runs) => {
  const random = createRandom(seed)
  let taken = 0
  for (let run = 0; run < runs; run++) {
    const text = makeDocument(random)
    const started = process.cpuUsage()
    const outcome = tryDocument(text, random)
    const { user, system } = process.cpuUsage(started)
    const took = (user + system) / 1000
    const problem = took > longest ? `it took ${took.toFixed(0)} ms` : outcome.problem
    if (problem !== undefined) {
      return { runs: run + 1, summary: 'broken', broken: `seed ${seed}, run ${run}: ${problem}\n${text}` }
    }
    if (outcome.taken) taken++
  }
  return { runs, summary: `${taken} documents taken, ${runs - taken} refused with a position` }
}

function tryDocument(text: string, random: Random): { taken: boolean; problem?: string } {
  let pipeline: Pipeline
  try {
    pipeline = compilePipeline(text, kinds)
  } catch (error) {
    if (!isDbError(error) || error.code !== 'InvalidArguments') return { taken: false, problem: describe(error) }
    if (!/line \d+/.test(error.message)) return { taken: false, problem: `no position: ${error.message}` }
    return error.message.length > 2000 ? { taken: false, problem: 'the message is long' } : { taken: false }
  }
  try {
    runPipeline(pipeline, ItemBatch.from(makeItems(random)), {
      table: 't',
      skipError: random.once(2),
      ignoreErrors: false,
      now: 1_741_064_767_000_000_008n,
      variablesFromInput: random.once(3),
      maxDispatchDepth: 8,
      maxGroups: 1000,
      columns: { max: 2000, key: 'limits.max_columns' },
      options: {},
      pipeline: () => (random.once(2) ? pipeline : identity),
      existing: () => undefined
    })
  } catch (error) {
    if (!isDbError(error) || error.code !== 'InvalidArguments') return { taken: true, problem: describe(error) }
  }
  return { taken: true }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function makeDocument(random: Random): string {
  const text = random.once(8) ? makeYaml(random, 4) : stringify(likely(random))
  return random.once(2) ? text : bend(text, random)
}

/** A document that compiles unless something in it is bent. */
function likely(random: Random): unknown {
  const processors = list(random, 4, () => {
    const kind = random.pick([...kinds.keys()])
    return { [kind]: options(random, kind) }
  })
  const time = { field: 'at', type: 'time', index: 'timestamp', on_failure: 'default' }
  const columns = ['a', 'b', 'message'].filter(() => random.once(2)).map(field => transform(random, field))
  return {
    ...(random.once(2) && { version: random.pick([1, 2, '1', '2']) }),
    ...(!random.once(4) && { processors }),
    ...(!random.once(8) && {
      [random.pick(['transform', 'transforms'])]: random.once(4) ? columns : [...columns, time]
    }),
    ...(random.once(4) && { table_suffix: random.pick(words) }),
    ...(random.once(4) && {
      dispatcher: {
        field: random.pick(names),
        rules: list(random, 3, () => ({ value: value(random, 2), table_suffix: random.pick(words), pipeline: 'next' }))
      }
    }),
    ...(random.once(20) && { [random.pick(sections)]: value(random, 3) })
  }
}

function options(random: Random, kind: string): unknown {
  const given: Record<string, unknown> = {
    field: random.pick(['a', 'b', 'message, a', 'at', 'message']),
    ...samples[kind]
  }
  if (!random.once(3)) given['ignore_missing'] = true
  if (random.once(6)) given[random.pick(optionNames)] = value(random, 2)
  if (random.once(6) && 'pattern' in given) given['pattern'] = random.pick(patterns)
  return random.once(40) ? value(random, 2) : given
}

function transform(random: Random, field: string): unknown {
  const given: Record<string, unknown> = { field, type: random.pick(types) }
  if (random.once(3)) given['on_failure'] = random.pick(['ignore', 'default'])
  if (random.once(6)) given[random.pick(transformKeys)] = value(random, 2)
  return random.once(40) ? value(random, 2) : given
}

function value(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 10 : 7)
  if (kind < 4) return random.pick(words)
  if (kind === 4) return random.pick([true, false, null])
  if (kind === 5) return random.pick([0, -1, 1.5, 1e300, 9007199254740993n, Number.NaN])
  if (kind === 6) return 'x'.repeat(random.below(300))
  if (kind === 7) return { key: random.pick(words), rename_to: random.pick(words) }
  if (kind === 8) return Object.fromEntries(list(random, 3, () => [random.pick(words), value(random, depth - 1)]))
  return list(random, 4, () => value(random, depth - 1))
}

/** Any YAML, mostly no pipeline. */
function makeYaml(random: Random, depth: number): string {
  const odd = [
    '&a [*a, *a]',
    '*a',
    '!!binary aGk=',
    '!!set {a, b}',
    '? {a: b} : c',
    '<<: *a',
    '---',
    '...',
    '%YAML 1.1',
    '- - -',
    '{',
    ']',
    '|\n  x',
    '>-',
    '\t',
    '\u0000',
    '"\\x',
    "'",
    '# c'
  ]
  return list(random, 6, () => {
    const key = random.pick(sections)
    return `${key}: ${random.once(3) ? random.pick(odd) : JSON.stringify(value(random, depth), (_, v) => (typeof v === 'bigint' ? Number(v) : v))}`
  }).join('\n')
}

/** Takes pieces out, doubles them, puts something in. */
function bend(text: string, random: Random): string {
  let bent = text
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bent.length + 1)
    const end = at + random.below(20)
    const piece = random.pick([
      '',
      bent.slice(at, end).repeat(2),
      ': ',
      '- ',
      '\n',
      '\t',
      '  ',
      '{',
      ']',
      '"',
      '&a ',
      '*a',
      '!!int ',
      '\u0000',
      '\ufeff',
      '🙂',
      '9'.repeat(400)
    ])
    bent = bent.slice(0, at) + piece + bent.slice(random.once(2) ? at : end)
  }
  return bent
}

function makeItems(random: Random): Item[] {
  const texts = [
    '',
    'x y',
    '1 2 3',
    '2025-03-04 05:06:07',
    '{"a":[1]}',
    'a=1,b',
    '%41+%zz',
    '\u001b[31mred\u001b[0m',
    'ünï 🙂',
    '12',
    'true'
  ]
  const cell = () => random.pick([...texts, null, true, 5n, -(2n ** 63n), 1.5, ['a', 1n], { b: { c: 1n } }])
  return list(random, 4, () => Object.fromEntries(list(random, 6, () => [random.pick(names), cell()]))) as Item[]
}

function list<T>(random: Random, max: number, make: () => T): T[] {
  return Array.from({ length: random.below(max + 1) }, make)
}
