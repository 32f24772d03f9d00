// The function that checks JSON texts by a schema.
import { Failure } from '../../failure.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { readJsonValue } from '../../json.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text } from '../../value.ts'
import type { Check } from './check.ts'
import { compileSchema } from './compile.ts'

export const schemaFunction: FunctionSpec = {
  name: 'validate_json_schema',
  summary: 'True if a JSON text is as a JSON schema wants it, given as JSON; fails with the first problem otherwise.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'schema_definition', kind: kinds.string, constant: true },
    { name: 'ignore_unknown_formats', kind: kinds.boolean, default: false, constant: true }
  ],
  returns: kinds.boolean,
  fallible: true,
  prepare: call => {
    const schema = lossy(call.constant('schema_definition') as Text)
    if (!/^\s*[{tf]/.test(schema))
      throw call.invalid(
        'schema_definition',
        'schemas are not read from the disk of the server: give the schema itself, as JSON'
      )
    let check: Check
    try {
      check = compileSchema(schema, call.constant('ignore_unknown_formats') === true)
    } catch (error) {
      const why = error instanceof Failure || error instanceof Error ? error.message : String(error)
      throw call.invalid('schema_definition', `Failed to compile schema: ${why}`)
    }
    return (value: Text) => {
      const problem = check(call.context, readJsonValue(lossy(value)), { path: '', depth: 0 })
      if (problem !== undefined) throw fail(`JSON schema validation failed: ${problem}`)
      return true
    }
  },
  examples: [
    {
      title: 'A valid text',
      source: 'validate_json_schema!(s\'{"id": 7}\', s\'{"properties": {"id": {"type": "integer"}}}\')',
      result: 'true'
    },
    {
      title: 'A problem',
      source: 'validate_json_schema!(s\'{"mail": "x"}\', s\'{"properties": {"mail": {"format": "email"}}}\')',
      raises: 'JSON schema validation failed: "x" is not a "email" at /mail'
    }
  ]
}
