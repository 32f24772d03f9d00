// JSON texts checked by schemas.
import t from 'tap'
import { run } from './parse/table.ts'

function check(schema: unknown, value: unknown, options = ''): string {
  const event = JSON.stringify({ t: JSON.stringify(value) })
  return run(`validate_json_schema!(.t, s'${JSON.stringify(schema)}'${options})`, event)
}

/** Written as a variable: an object with a field of this name looks like a promise. */
const branch = 'then'

t.test('every keyword lets some values through and others not', async t => {
  const rows: readonly (readonly [schema: object, good: unknown, bad: unknown])[] = [
    [{ type: 'integer' }, 1, 1.5],
    [{ type: ['string', 'null'] }, null, 1],
    [{ enum: [1, 'a'] }, 'a', 'b'],
    [{ const: { a: 1 } }, { a: 1 }, { a: 2 }],
    [{ minimum: 1, maximum: 2 }, 2, 3],
    [{ exclusiveMinimum: 1 }, 2, 1],
    [{ exclusiveMaximum: 1 }, 0, 1],
    [{ multipleOf: 5 }, 10, 7],
    [{ minLength: 2, maxLength: 3 }, 'äö', 'ä'],
    [{ pattern: '^a+$' }, 'aa', 'ab'],
    [{ format: 'date-time' }, '2025-01-01T00:00:00Z', '2025-01-01'],
    [{ format: 'ipv4' }, '10.1.2.3', '::1'],
    [{ format: 'uuid' }, '6c1f3c2e-1b7a-4f4e-9a70-0d5b6a3f9f10', '6c'],
    [{ minItems: 1, maxItems: 2, uniqueItems: true }, [1, 2], [1, 1]],
    [{ items: { type: 'string' } }, ['a'], [1]],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 1]],
    [{ contains: { const: 1 } }, [2, 1], [2]],
    [{ required: ['a'] }, { a: null }, {}],
    [{ properties: { a: { type: 'null' } } }, { a: null }, { a: 1 }],
    [
      { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false },
      { a: 1, x1: 1 },
      { b: 1 }
    ],
    [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
    [{ minProperties: 1, maxProperties: 1 }, { a: 1 }, {}],
    [{ dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 1, 3],
    [{ anyOf: [{ type: 'null' }, { minimum: 5 }] }, 6, 4],
    [{ oneOf: [{ minimum: 1 }, { minimum: 5 }] }, 2, 6],
    [{ not: { type: 'string' } }, 1, 'a'],
    [{ if: { type: 'string' }, [branch]: { minLength: 2 }, else: { minimum: 2 } }, 'ab', 1],
    [
      { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
      { next: { next: {} } },
      { next: { next: 1 } }
    ]
  ]
  for (const [schema, good, bad] of rows) {
    t.equal(check(schema, good), 'true', JSON.stringify(schema))
    t.match(check(schema, bad), 'JSON schema validation failed', JSON.stringify(schema))
  }
})

t.test('a problem has a place', async t => {
  t.match(
    check({ properties: { a: { items: { type: 'string' } } } }, { a: ['x', 1] }),
    '1 is not of type "string" at /a/1'
  )
})

t.test('a schema is checked by the compiler', async t => {
  t.match(check({ type: 'text' }, 1), 'there is no type "text"')
  t.match(check({ format: 'mine' }, 'x'), "Unknown format: 'mine'")
  t.equal(check({ format: 'mine' }, 'x', ', ignore_unknown_formats: true'), 'true')
  t.match(check({ $ref: 'http://example.com' }, 1), 'leads out of the schema')
  t.match(check({ pattern: '(' }, 1), 'E403')
  t.match(run('validate_json_schema!("1", "/etc/schema.json")'), 'not read from the disk')
})

t.test('a schema that refers to itself ends', async t => {
  t.match(check({ $ref: '#' }, 1), 'nested deeper')
  t.match(check({ allOf: [{ $ref: '#' }, { $ref: '#' }] }, 1), /nested deeper|ran longer/)
  t.match(check({ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1), /none of the schemas|ran longer/)
})

t.test('invalid JSON fails', async t => {
  t.match(run('validate_json_schema!("{", s\'{}\')'), 'unable to parse json')
})
