// The result formats by name, including those of plugins, and the parameters that choose one.
import { DbError } from '../errors.ts'
import type { Answer, Compression, EncodeOptions, Epoch, ResultFormat } from './answer.ts'
import { arrow } from './arrow.ts'
import { csv, csvWithNames, csvWithNamesAndTypes } from './csv.ts'
import { json } from './json.ts'
import { lineprotoV1 } from './lineproto-v1.ts'
import { ndjson } from './ndjson.ts'
import { nullFormat } from './null.ts'
import { parquet } from './parquet.ts'
import { svcV1 } from './svc-v1.ts'
import { table } from './table.ts'

const own: Readonly<Record<string, ResultFormat>> = {
  svc_v1: svcV1,
  lineproto_v1: lineprotoV1,
  csv,
  csvWithNames,
  csvWithNamesAndTypes,
  table,
  json,
  ndjson,
  arrow,
  parquet,
  null: nullFormat
}

/** The registry of result formats. */
export interface ResultFormats {
  /** Names in the order they were added, built-in formats first. */
  names(): readonly string[]
  /** Registers a format as `format=NAME`, in any case. Throws TypeError if the name is taken or invalid, or the format lacks a member. */
  add(name: string, format: ResultFormat): void
  /**
   * The format and options that the parameters `format`, `epoch` and `compression` choose; `svc_v1` if there is no `format`. Throws DbError
   * `InvalidArguments` listing the known formats.
   */
  choose(parameter: (name: string) => string | undefined): ResultEncoding
}

interface ResultEncoding {
  readonly format: ResultFormat
  readonly encoding: Pick<EncodeOptions, 'epoch' | 'compression'>
}

const epochs: Readonly<Record<string, Epoch>> = { ns: 'ns', u: 'us', µ: 'us', us: 'us', ms: 'ms', s: 's' }
const compressions: Readonly<Record<string, Compression>> = { zstd: 'zstd', lz4: 'lz4' }

export function createFormats(): ResultFormats {
  const formats = new Map<string, ResultFormat>()
  const add: ResultFormats['add'] = (name, format) => {
    if (!/^[a-z][\w-]*$/i.test(name)) throw new TypeError(`${name} is not a name of a result format: expected a word`)
    if (keyOf(formats, name) !== undefined) throw new TypeError(`there is a result format ${name} already`)
    if (typeof format.contentType !== 'string' || typeof format.header !== 'string')
      throw new TypeError(`the result format ${name} needs the texts contentType and header`)
    if (typeof format.encode !== 'function') throw new TypeError(`the result format ${name} needs a function encode`)
    formats.set(name, format)
  }
  for (const [name, format] of Object.entries(own)) add(name, format)
  return {
    names: () => [...formats.keys()],
    add,
    choose(parameter) {
      const format = choose('format', parameter('format'), formats) ?? svcV1
      const epoch = choose('epoch', parameter('epoch'), new Map(Object.entries(epochs)))
      const compression = choose('compression', parameter('compression'), new Map(Object.entries(compressions)))
      return { format, encoding: { ...(epoch && { epoch }), ...(compression && { compression }) } }
    }
  }
}

/** The pieces of a whole body. Throws `InvalidArguments` for several answers in a format that takes one. */
export function encodeAnswers(
  format: ResultFormat,
  answers: readonly Answer[],
  options: EncodeOptions
): AsyncIterable<string | Uint8Array> {
  checkCount(format, answers.length)
  return format.encode(answers, options)
}

/** Throws DbError `InvalidArguments` if the format cannot hold that many answers. */
export function checkCount(format: ResultFormat, answers: number): void {
  if (answers > 1 && !format.several) {
    throw new DbError('InvalidArguments', `cannot output multi-statements result in ${format.header} format`)
  }
}

function choose<T>(what: string, name: string | undefined, known: ReadonlyMap<string, T>): T | undefined {
  if (name === undefined || name === '') return undefined
  const key = keyOf(known, name)
  if (key !== undefined) return known.get(key)
  throw new DbError('InvalidArguments', `unknown ${what} ${name}, expected one of ${[...known.keys()].join(', ')}`)
}

function keyOf(known: ReadonlyMap<string, unknown>, name: string): string | undefined {
  return [...known.keys()].find(candidate => candidate.toLowerCase() === name.toLowerCase())
}
