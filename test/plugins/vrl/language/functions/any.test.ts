// Calls every function with random arguments of the accepted kinds.
import t from 'tap'
import type { Param } from '../../../../../plugins/vrl/language/function.ts'
import { compile, standardLibrary } from '../../../../../plugins/vrl/language/index.ts'
import { bit } from '../../../../../plugins/vrl/language/kind.ts'
import { Regex, Timestamp, type Value } from '../../../../../plugins/vrl/language/value.ts'

const texts = [
  ...[
    '',
    'a',
    '1.2.3.4',
    '::1',
    '10.0.0.0/8',
    '%zz',
    '=?utf-8?q?a?=',
    'xn--a',
    'ü',
    '\u{10ffff}',
    'a=b c="d',
    '{"a":1}'
  ],
  ...[
    '<a>b</a>',
    '- a: 1',
    '0x12',
    '-',
    '\0',
    'SHA1',
    'XXH64',
    'AES-256-CBC-ISO7816',
    'pfx',
    'gb18030',
    '%Y',
    '1h',
    '__proto__'
  ],
  ...['k'.repeat(32), 'i'.repeat(16), 'x'.repeat(3000)]
]
const bytes = ['fffe00', '1f8b0800000000000003', '04224d18', '28b52ffd', 'ffffffffff'].map(hex =>
  Buffer.from(hex, 'hex')
)
const integers = [0n, 1n, -1n, 2n, 10n, 37n, 65_537n, -(2n ** 63n), 2n ** 63n - 1n]
const floats = [0, -0, 1.5, -1e308, 5e-324, Number.POSITIVE_INFINITY]
const times = [0n, -1n, 10n ** 18n, -(10n ** 22n), 10n ** 22n]

/** The same numbers in every run. */
function createPick(seed: number): <T>(choices: readonly T[]) => T {
  let state = seed
  return choices => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return choices[Math.floor((state / 2 ** 32) * choices.length)]!
  }
}
const pick = createPick(20)

function makeValue(bits: number, depth: number): Value {
  const makers: (() => Value)[] = []
  const add = (of: number, make: () => Value) => (bits & of) !== 0 && makers.push(make)
  const parts = () => Array.from({ length: pick([0, 1, 2, 3]) }, () => (depth > 2 ? null : makeValue(1023, depth + 1)))
  add(bit.string, () => pick<Value>([...texts, ...bytes]))
  add(bit.integer, () => pick(integers))
  add(bit.float, () => pick(floats))
  add(bit.boolean, () => pick([true, false]))
  add(bit.timestamp, () => new Timestamp(pick(times)))
  add(bit.regex, () => new Regex(pick(['a', '(?P<x>.)', '', '(a)|b'])))
  add(bit.array, parts)
  add(bit.object, () => new Map(parts().map(part => [pick(['a', 'b', 'a.b', '', '__proto__']), part])))
  return makers.length === 0 ? null : pick(makers)()
}

/** An argument as a program writes it; what need not be constant is put into the event. */
function argumentOf({ name, kind, constant, oneOf }: Param, event: Map<string, Value>): string {
  if (constant === true) return `${name}: ${JSON.stringify(pick(oneOf ?? texts))}`
  event.set(name, makeValue(kind.bits, 0))
  return `${name}: .${name}`
}

function isSound(value: Value): boolean {
  if (typeof value === 'bigint') return value === BigInt.asIntN(64, value)
  if (value instanceof Map || Array.isArray(value)) return [...value.values()].every(isSound)
  return value !== undefined && !Number.isNaN(value)
}

t.test('functions fail as the language fails, and make values of the language, whatever they are given', async t => {
  let ran = 0
  for (let round = 0; round < 25; round++)
    for (const { name, params, refused, closure } of standardLibrary.values()) {
      if (refused !== undefined || closure !== undefined || params.some(({ path }) => path)) continue
      const event = new Map<string, Value>()
      const given = params.filter(param => !(param.optional || param.default !== undefined) || pick([true, false]))
      const source = `${name}!(${given.map(param => argumentOf(param, event)).join(', ')})`
      const { program } = compile(source)
      if (program === undefined) continue
      const outcome = program.run(event)
      ran++
      if (outcome.ok && !isSound(outcome.value)) t.fail(source, { found: outcome.value })
    }
  t.ok(ran > 2000)
})
