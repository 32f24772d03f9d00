// Fastify's compilers for validating requests and writing responses. Loaded with the first route that needs them: they are a hundred modules,
// and no built-in route does.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { FastifyServerOptions } from 'fastify'
import { DbError } from '../errors.ts'

type Factories = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
/** Makes the compiler for a part of a route's schema. */
type Build = (external: unknown, options: unknown) => Compile
type Compile = (part: { readonly schema: unknown; readonly httpPart?: string }) => unknown

/** The framework's own compilers. */
export function schemaCompilers(): Required<Factories> {
  const require = createRequire(fileURLToPath(import.meta.resolve('fastify')))
  let validators: Build | undefined
  let serializers: Build | undefined
  const buildValidator: Build = (external, options) => {
    validators ??= (require('@fastify/ajv-compiler') as () => Build)()
    const compile = validators(external, options)
    // Fastify does this for its own compiler only.
    return part => compile(part.httpPart === 'headers' ? { ...part, schema: withLowerNames(part.schema) } : part)
  }
  const buildSerializer: Build = (external, options) => {
    serializers ??= (require('@fastify/fast-json-stringify-compiler') as () => Build)()
    return serializers(external, options)
  }
  return { buildValidator, buildSerializer } as unknown as Required<Factories>
}

type SchemaErrors = Parameters<NonNullable<FastifyServerOptions['schemaErrorFormatter']>>

/** Says how a request breaks its route's schema: `parameter table is missing`, `body /rows/0 must be integer`. */
export function schemaError([first]: SchemaErrors[0], part: string): DbError {
  const { keyword, params, instancePath = '', message } = first!
  const where = part === 'querystring' ? 'parameter' : part === 'headers' ? 'header' : part === 'params' ? 'path' : part
  // Parameters and headers are flat; members of a body are not.
  const path = (name: string) => (part === 'body' ? name : name.slice(1).replaceAll('/', '.'))
  const missing = keyword === 'required' ? `${instancePath}/${params.missingProperty}` : undefined
  const reason = missing === undefined ? `${path(instancePath)} ${message}` : `${path(missing)} is missing`
  return new DbError('InvalidArguments', `${where} ${reason.trim()}`)
}

/** A schema of headers with lower case names, as Node gives them. */
function withLowerNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withLowerNames)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') return [key, lowerKeys(value as object)]
    if (key === 'required') return [key, (value as readonly string[]).map(name => name.toLowerCase())]
    return [key, key === 'enum' || key === 'const' || key === 'default' ? value : withLowerNames(value)]
  })
  return Object.fromEntries(entries)
}

function lowerKeys(properties: object): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name.toLowerCase(), withLowerNames(schema)])
  )
}
