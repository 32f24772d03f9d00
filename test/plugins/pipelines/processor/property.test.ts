// Whatever items and options hold, a processor fails the item or refuses the options; it never throws anything else.
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import t from 'tap'
import { cell, type Item, ItemBatch, type ItemValue, isDbError, Timestamp } from '../../../../core/index.ts'
import { readOptions } from '../../../../plugins/pipelines/document/option.ts'
import { processors } from '../../../../plugins/processors.ts'
import type { ProcessorDefinition } from '../../../../plugins/services.ts'

const words = fc.constantFrom('a', 'b', 'c', 'a, b', 'b,c', '', 'x', 'svc_ttl', '__proto__', 'constructor', 'é')

const pieces = fc.constantFrom(
  ...[
    'a',
    '1',
    '12',
    ' ',
    ',',
    '=',
    '"',
    '%',
    '%4',
    '%2F',
    '%ff',
    '[',
    ']',
    '{',
    '}',
    ':',
    '-',
    '.',
    '/',
    '\n',
    '\r',
    'é',
    '😀'
  ],
  ...[
    '\u001b[31m',
    '\u001b',
    'true',
    'null',
    '2025-03-04T05:06:07',
    '10.0.0.1',
    'br=1',
    'nor=',
    '$',
    '\\',
    '\u0000',
    'T',
    '+',
    'K'
  ]
)
const text = fc.array(pieces, { maxLength: 12 }).map(parts => parts.join(''))

const { value } = fc.letrec<{ value: ItemValue }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc.constantFrom<ItemValue>(
      null,
      true,
      false,
      0n,
      -1n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      0,
      1.5,
      -0,
      1e300,
      new Timestamp(7n)
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4 }).map(object => Object.assign(Object.create(null), object) as Item)
  )
}))

const items = fc.array(
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 })
    .map(object => Object.assign(Object.create(null), object)),
  { minLength: 1, maxLength: 5 }
)

/** Good values of every option, so that many documents compile. */
const good: Readonly<Record<string, readonly unknown[]>> = {
  method: ['lower', 'UPPER', 'capital', 'encode', 'decode'],
  pattern: ['%{x} %{y}', '%{+x->}=%{+x}', '(?<g>\\d+)', '^(?<g>a*)=(?<h>.*)', '\\d', '', '(?i)(?<é>k)'],
  patterns: [
    ['%{x}=%{y}', '%{x}'],
    ['(?<g>[^,]+)', '(?<h>é)']
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
  replacement: ['', '$1', '${g}x', '$$'],
  separator: [',', '|', '='],
  quote: ['"', "'"],
  target_fields: ['a,b,c', 'x, y', 'a'],
  empty_value: ['', '-'],
  trim: [true, false],
  formats: [['%Y-%m-%dT%H:%M:%S'], ['%s', '%+'], []],
  timezone: ['Europe/Berlin', 'UTC', '+05:30'],
  resolution: ['s', 'ms', 'us', 'ns'],
  json_path: ['$', '$..a', '$.*', '$..[?(@.a > 1)]', '$[?@ == "a"].b', '$..*..*', '$[::-1]', "$['b'][0]"],
  result_index: [0n, 1n],
  key: ['a', 'a.b', 'b.c.a', '__proto__'],
  presets: [
    ['numbers', 'uuid'],
    ['ip', 'quoted', 'bracketed']
  ],
  regex: [['a+', '[^a]'], ['(?s).*']],
  type: ['include', 'exclude'],
  targets: [
    ['a', 'É'],
    ['true', '1']
  ],
  match_op: ['in', 'not_in'],
  case_insensitive: [true, false],
  append_separator: ['', '--'],
  ignore_missing: [true, false],
  source: [
    '.',
    '.c = .a; .',
    '.b',
    '[., {"z": .a}, .b]',
    'map_values(.) -> |v| { to_string(v) ?? [v, .] }',
    'if exists(.a) { abort }; {"é": ., "a": chunks("é", 1)[0]}',
    'unnest!(.a)',
    '. = {"a": .b, "svc_ttl": .}; .'
  ]
}

const options = fc.dictionary(
  fc.constantFrom(...Object.keys(good)),
  fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom<unknown>(null, 5n, 1.5, true, [], ['x'], new Map([['k', 1n]]), '%', '(', '[', '$.', '{', '%{', '%Q')
  )
)

function optionsOf(definition: ProcessorDefinition) {
  const keys = [...(definition.doc?.options.map(({ name }) => name) ?? []), 'ignore_missing'].filter(key => key in good)
  const chosen = fc.tuple(...keys.map(key => fc.option(fc.constantFrom(...good[key]!), { nil: undefined })))
  const fields = fc.array(
    fc.oneof(
      words,
      fc.constant(
        new Map([
          ['key', 'a'],
          ['rename_to', 'z']
        ])
      )
    ),
    { maxLength: 3 }
  )
  return fc.tuple(fields, chosen, fc.option(options, { freq: 5, nil: {} })).map(([list, values, wild]) => {
    const entries = new Map<string, unknown>([['fields', list]])
    keys.forEach((key, i) => {
      if (values[i] !== undefined) entries.set(key, values[i])
    })
    for (const [key, value] of Object.entries(wild)) entries.set(key, value)
    return entries
  })
}

for (const definition of processors) {
  t.test(`${definition.kind} throws nothing but refusals of its options`, async t => {
    let ran = 0
    const check = fc.check(
      fc.property(optionsOf(definition), items, (entries, list) => {
        const batch = requestBatch(list)
        const before = Buffer.from(batch.bytes.subarray(0, textEnd(batch)))
        try {
          definition.compile(readOptions(entries, 'here'), 'there').apply(batch)
          ran++
        } catch (fault) {
          return isDbError(fault) && fault.code === 'InvalidArguments' && fault.message.startsWith('here: ')
        }
        return batch.failures.every(({ message }) => isItemError(message, definition.kind)) && isSound(batch, before)
      }),
      { numRuns: 800 }
    )
    t.notOk(check.failed, fc.defaultReportMessage(check) ?? '')
    t.ok(ran > 30, `${ran} runs got as far as the items`)
  })
}

function isItemError(message: string, kind: string): boolean {
  return message.startsWith(`Processor ${kind}: `) && message.endsWith(' (there)') && message.length < 600
}

/** Items whose text lies in a Buffer, as that of a request does. */
function requestBatch(list: readonly Item[]): ItemBatch {
  const batch = ItemBatch.from(list)
  batch.bytes = Buffer.from(batch.bytes)
  return batch
}

/** Where the last text of the items ends. */
function textEnd(batch: ItemBatch): number {
  let end = 0
  for (const { kinds, words } of batch.fields.values()) {
    for (let row = 0; row < batch.rows; row++) if (kinds[row] === cell.string) end = Math.max(end, words[row * 2 + 1]!)
  }
  return end
}

/** The bytes of the request are as they were, every text lies within the bytes and is UTF-8, every object is there. */
function isSound(batch: ItemBatch, before: Uint8Array): boolean {
  if (Buffer.compare(batch.bytes.subarray(0, before.length), before) !== 0) return false
  for (const field of batch.fields.values()) {
    for (let row = 0; row < batch.rows; row++) {
      const [start, end] = [field.words[row * 2]!, field.words[row * 2 + 1]!]
      if (field.kinds[row] === cell.string && !(start <= end && end <= batch.bytes.length)) return false
      if (field.kinds[row] === cell.string && !isUtf8(batch.bytes.subarray(start, end))) return false
      if (field.kinds[row] === cell.object && typeof field.objects?.[row] !== 'object') return false
    }
  }
  return true
}
