// Functions that ask for the kind of a value: assertions, which fail, and tests, which answer.
import { type FunctionSpec, fail } from '../function.ts'
import { bit, isOnly, type Kind, kinds, kindText, only, valueBit } from '../kind.ts'
import { isArray, isObject, isText, lossy, typeName, type Value } from '../value.ts'

/** Returns the value if it is of the kind; the checker then knows that. */
function assertion(name: string, kind: Kind): FunctionSpec {
  const { bits } = kind
  const expected = kindText(kind)
  return {
    name,
    summary: `Returns the value if its kind is ${expected}, and fails otherwise.`,
    params: [{ name: 'value', kind: kinds.any }],
    returns: call => (call.kind('value').bits & bits ? only(call.kind('value'), bits) : kind),
    fallible: call => !isOnly(call.kind('value'), bits),
    run: (value: Value) => {
      if ((valueBit(value) & bits) === 0) throw fail(`expected ${expected}, got ${typeName(value)}`)
      return value
    },
    examples: [{ title: 'Another kind', source: `${name}!(null)`, raises: `expected ${expected}, got null` }]
  }
}

/** True if the value is of the kind. */
function test(name: string, kind: Kind): FunctionSpec {
  const { bits } = kind
  return {
    name,
    summary: `True if the value's kind is ${kindText(kind)}.`,
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.boolean,
    run: (value: Value) => (valueBit(value) & bits) !== 0,
    examples: [{ title: 'A boolean', source: `${name}(true)`, result: String(bits === bit.boolean) }]
  }
}

export const types: readonly FunctionSpec[] = [
  assertion('array', kinds.array),
  assertion('bool', kinds.boolean),
  assertion('float', kinds.float),
  assertion('int', kinds.integer),
  assertion('object', kinds.object),
  assertion('string', kinds.string),
  assertion('timestamp', kinds.timestamp),
  test('is_array', kinds.array),
  test('is_boolean', kinds.boolean),
  test('is_float', kinds.float),
  test('is_integer', kinds.integer),
  test('is_null', kinds.null),
  test('is_object', kinds.object),
  test('is_regex', kinds.regex),
  test('is_string', kinds.string),
  test('is_timestamp', kinds.timestamp),
  {
    name: 'is_empty',
    summary: 'True for a text, array or object of length 0.',
    params: [{ name: 'value', kind: { ...kinds.any, bits: bit.string | bit.array | bit.object } }],
    returns: kinds.boolean,
    run: (value: Value) => (isObject(value) ? value.size : isArray(value) || isText(value) ? value.length : 1) === 0,
    examples: [{ title: 'An array', source: 'is_empty([])', result: 'true' }]
  },
  {
    name: 'is_nullish',
    summary: 'True for null and for texts that are empty, blank or "-".',
    params: [{ name: 'value', kind: kinds.any }],
    returns: kinds.boolean,
    run: isNullish,
    examples: [{ title: 'A blank text', source: 'is_nullish("  ")', result: 'true' }]
  }
]

function isNullish(value: Value): boolean {
  if (value === null) return true
  if (!isText(value)) return false
  const text = lossy(value)
  return text === '-' || text.trim() === ''
}
