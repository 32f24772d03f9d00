// Compiles a JSON schema to a check of values: without generating code; its patterns run in linear time.
import { maxSchemaDepth } from '../../bounds.ts'
import { step } from '../../context.ts'
import { readJsonValue } from '../../json.ts'
import { isArray, isObject, type ObjectValue, type Value } from '../../value.ts'
import { type Check, type Compiler, problem } from './check.ts'
import { keywords } from './keyword.ts'

/** Throws an Error that says what is wrong with the schema. */
export function compileSchema(text: string, ignoreFormats: boolean): Check {
  const root = readJsonValue(text)
  const references = new Map<string, Check>()
  const compiler: Compiler = {
    ignoreFormats,
    compile(schema) {
      if (schema === true) return () => undefined
      if (schema === false) return (_, value, at) => problem(value, 'is not allowed', at)
      if (!isObject(schema)) throw new Error('a schema must be an object or a boolean')
      const checks = checksOf(schema, compiler)
      const reference = schema.get('$ref')
      if (typeof reference === 'string') checks.unshift(refer(reference))
      return all(checks)
    }
  }
  /** Compiled once, and looked up when it is run, so that a schema may refer to what is being compiled. */
  const refer = (reference: string): Check => {
    if (!references.has(reference)) {
      references.set(reference, () => undefined)
      references.set(reference, compiler.compile(resolve(root, reference)))
    }
    return (context, value, at) => references.get(reference)!(context, value, { path: at.path, depth: at.depth + 1 })
  }
  return compiler.compile(root)
}

function checksOf(schema: ObjectValue, compiler: Compiler): Check[] {
  const checks: Check[] = []
  for (const [name, value] of schema) {
    const make = Object.hasOwn(keywords, name) ? keywords[name] : undefined
    if (make !== undefined) checks.push(make(value, schema, compiler))
  }
  return checks
}

function all(checks: readonly Check[]): Check {
  return (context, value, at) => {
    step(context)
    if (at.depth > maxSchemaDepth) return `the check is nested deeper than ${maxSchemaDepth} levels at ${at.path}`
    for (const check of checks) {
      const found = check(context, value, at)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** The value at `#/a/b` of the document. */
function resolve(root: Value, reference: string): Value {
  if (!reference.startsWith('#')) throw new Error(`"${reference.slice(0, 100)}" leads out of the schema`)
  let found: Value | undefined = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decodePart(part)
    if (isObject(found)) found = found.get(name)
    else found = isArray(found) ? found[Number(name)] : undefined
    if (found === undefined) throw new Error(`"${reference.slice(0, 100)}" leads to nothing`)
  }
  return found
}

function decodePart(part: string): string {
  const text = part.replaceAll(/%[\da-fA-F]{2}/g, code => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
