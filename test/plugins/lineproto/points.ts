// A simple reader and writer of lines, point by point. The decoder is compared with it; both share no code.
import { isUtf8 } from 'node:buffer'
import { DbError, isValid } from '../../../core/index.ts'
import type { DecodedField, DecodedTable } from '../../../plugins/lineproto/decode/measurement.ts'
import { readTags } from '../../../plugins/lineproto/decode/tags.ts'

export type Value =
  | { readonly type: 'Float64'; readonly value: number }
  | { readonly type: 'Int64' | 'UInt64'; readonly value: bigint }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'String'; readonly value: string }

export interface Point {
  readonly table: string
  readonly tags: ReadonlyMap<string, string>
  readonly fields: ReadonlyMap<string, Value>
  /** Nanoseconds since 1970. */
  readonly time: bigint
}

export function writePoint({ table, tags, fields, time }: Point): string {
  const key = (text: string) => text.replace(/[\\,= ]/g, '\\$&')
  const head = [table.replace(/[\\, ]/g, '\\$&'), ...Array.from(tags, ([name, value]) => `${key(name)}=${key(value)}`)]
  const values = Array.from(fields, ([name, value]) => `${key(name)}=${writeValue(value)}`)
  return `${head.join(',')} ${values.join(',')} ${time}`
}

function writeValue({ type, value }: Value): string {
  if (type === 'String') return `"${value.replace(/[\\"]/g, '\\$&')}"`
  if (type === 'Int64') return `${value}i`
  if (type === 'UInt64') return `${value}u`
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Undefined where something is wrong. A line without a time has 7. */
export function readPoints(body: Buffer): readonly Point[] | undefined {
  if (!isUtf8(body)) return undefined
  const text = body.toString()
  const points: Point[] = []
  const types = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const blank = match(/[ \t]*(?:\r?\n|\r?$|#[^\n]*(?:\n|$))/y, text, at)
    if (blank !== undefined) {
      at += blank.length
      continue
    }
    const line = match(point, text, at)
    if (line === undefined) return undefined
    const read = readPoint(line, types)
    if (read === undefined) return undefined
    points.push(read)
    at += line.length
  }
  return points
}

const name = String.raw`(?:\\[^]|[^\\,= \n])+`
const tag = `,${name}=${name}`
const value = String.raw`(?:"(?:\\[^]|[^\\"])*"|[^", \n]+?)`
const field = `${name}=${value}`
const end = String.raw` *(?:\r?\n|\r?$)`
const point = new RegExp(
  String.raw`[ \t]*(?![ \t])(?:\\[^]|[^\\, \n])+(?:${tag})* +${field}(?:,${field})*(?: +-?[0-9]+)?${end}`,
  'y'
)

function readPoint(line: string, types: Map<string, string>): Point | undefined {
  let at = /^[ \t]*/.exec(line)![0].length
  const take = (pattern: string) => {
    const found = match(new RegExp(pattern, 'y'), line, at)
    at += found?.length ?? 0
    return found
  }
  const table = plain(take(String.raw`(?:\\[^]|[^\\, \n])+`)!, /\\([\\, ])/g)
  const [tags, fields] = [new Map<string, string>(), new Map<string, Value>()]
  for (let found = take(tag); found !== undefined; found = take(tag)) {
    const split = match(new RegExp(name, 'y'), found, 1)!.length + 1
    tags.set(plain(found.slice(1, split)), plain(found.slice(split + 1)))
  }
  take(' +')
  const whole = `${field}(?=,|${end}|  *-?[0-9])`
  for (let found = take(whole); found !== undefined; found = take(`,${whole}`)?.slice(1)) {
    const split = match(new RegExp(name, 'y'), found, 0)!.length
    const read = readValue(found.slice(split + 1))
    const key = plain(found.slice(0, split))
    const id = JSON.stringify([table, key])
    if (read === undefined || (types.get(id) ?? read.type) !== read.type) return undefined
    types.set(id, read.type)
    fields.set(key, read)
  }
  const time = BigInt(/(?: +(-?[0-9]+))? *\r?\n?$/.exec(line.slice(at))![1] ?? 7)
  const names = [table, ...tags.keys(), ...fields.keys()]
  if (names.some(each => each.includes('\0') || Buffer.byteLength(each) > 255)) return undefined
  return BigInt.asIntN(64, time) === time ? { table, tags, fields, time } : undefined
}

function readValue(text: string): Value | undefined {
  if (text.startsWith('"')) return { type: 'String', value: plain(text.slice(1, -1), /\\(["\\])/g) }
  if (/^(t|T|true|True|TRUE)$/.test(text)) return { type: 'Boolean', value: true }
  if (/^(f|F|false|False|FALSE)$/.test(text)) return { type: 'Boolean', value: false }
  const [, digits, suffix] = /^(-?[0-9]+)([iu])$/.exec(text) ?? []
  if (digits !== undefined) {
    const value = BigInt(digits)
    if (suffix === 'i') return BigInt.asIntN(64, value) === value ? { type: 'Int64', value } : undefined
    return !digits.startsWith('-') && BigInt.asUintN(64, value) === value ? { type: 'UInt64', value } : undefined
  }
  if (!/^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? { type: 'Float64', value } : undefined
}

function plain(text: string, escaped = /\\([\\,= ])/g): string {
  return text.replace(escaped, '$1')
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

const anyTags = { max: Number.POSITIVE_INFINITY, refusal: () => new DbError('Internal', 'more tags than there are') }

/** The points of decoded tables, tags read. */
export function decodedPoints(tables: readonly DecodedTable[]): readonly Point[] {
  return tables.flatMap(({ name: table, rows, fields, times, keys, series }) =>
    Array.from({ length: rows }, (_, row) => {
      const key = series[row]!
      const tags = readTags(keys.bytes, keys.starts[key]!, keys.ends[key]!, anyTags)
      const values = fields.flatMap(field => {
        const value = valueAt(field, row)
        return value === undefined ? [] : [[field.name, value] as const]
      })
      return {
        table,
        tags: new Map(tags.map(({ name, value }) => [name, Buffer.from(value).toString()])),
        fields: new Map(values),
        time: times[row]!
      }
    })
  )
}

function valueAt({ type, data }: DecodedField, row: number): Value | undefined {
  if (!isValid(data.valid, row)) return undefined
  if (data.kind === 'bytes') {
    const bytes = data.bytes.subarray(data.offsets[row]!, data.offsets[row + 1]!)
    return { type: 'String', value: Buffer.from(bytes).toString() }
  }
  const value = data.kind === 'fixed' ? data.values[row]! : 0
  return (type === 'Boolean' ? { type, value: value === 1 } : { type, value }) as Value
}

/** The same text for the same point. */
export function showPoint({ table, tags, fields, time }: Point): string {
  const sorted = (pairs: Iterable<readonly [string, string]>) => [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))
  const values = Array.from(fields, ([name, value]) => [name, writeValue(value)] as const)
  return JSON.stringify([table, sorted(tags), sorted(values), String(time)])
}
