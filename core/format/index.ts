// The result formats by name, and the checks of the parameters that choose among them.
import { DbError } from '../errors.ts'
import type { Answer, Compression, EncodeOptions, Epoch, ResultFormat } from './answer.ts'
import { arrow } from './arrow.ts'
import { csv, csvWithNames, csvWithNamesAndTypes } from './csv.ts'
import { json } from './json.ts'
import { lineprotoV1 } from './lineproto-v1.ts'
import { nullFormat } from './null.ts'
import { svcV1 } from './svc-v1.ts'
import { table } from './table.ts'

const formats: Readonly<Record<string, ResultFormat>> = {
  svc_v1: svcV1,
  lineproto_v1: lineprotoV1,
  csv,
  csvWithNames,
  csvWithNamesAndTypes,
  table,
  json,
  arrow,
  null: nullFormat
}

/** The format of that name in any case, `svc_v1` without one. Throws `InvalidArguments` naming those there are. */
export function resultFormat(name: string | undefined): ResultFormat {
  return choose('format', name, formats) ?? svcV1
}

const epochs: Readonly<Record<string, Epoch>> = { ns: 'ns', u: 'us', µ: 'us', us: 'us', ms: 'ms', s: 's' }

/** The unit an `epoch` parameter names. Throws `InvalidArguments` naming those there are. */
export function resultEpoch(name: string | undefined): Epoch | undefined {
  return choose('epoch', name, epochs)
}

const compressions: Readonly<Record<string, Compression>> = { zstd: 'zstd', lz4: 'lz4' }

/** What a `compression` parameter names. Throws `InvalidArguments` naming those there are. */
export function resultCompression(name: string | undefined): Compression | undefined {
  return choose('compression', name, compressions)
}

export interface ResultEncoding {
  readonly format: ResultFormat
  readonly encoding: Pick<EncodeOptions, 'epoch' | 'compression'>
}

/** What the parameters `format`, `epoch` and `compression` choose. Throws `InvalidArguments` naming what there is. */
export function resultEncoding(parameter: (name: string) => string | undefined): ResultEncoding {
  const format = resultFormat(parameter('format'))
  const epoch = resultEpoch(parameter('epoch'))
  const compression = resultCompression(parameter('compression'))
  return { format, encoding: { ...(epoch && { epoch }), ...(compression && { compression }) } }
}

/** A whole body, piece by piece. Throws `InvalidArguments` for several answers in a format that takes one. */
export function encodeAnswers(
  format: ResultFormat,
  answers: readonly Answer[],
  options: EncodeOptions
): AsyncIterable<string | Uint8Array> {
  checkCount(format, answers.length)
  return format.encode(answers, options)
}

/** Throws `InvalidArguments` when the format cannot hold that many answers. */
export function checkCount(format: ResultFormat, answers: number): void {
  if (answers > 1 && !format.several) {
    throw new DbError('InvalidArguments', `cannot output multi-statements result in ${format.header} format`)
  }
}

function choose<T>(what: string, name: string | undefined, known: Readonly<Record<string, T>>): T | undefined {
  if (name === undefined || name === '') return undefined
  const key = Object.keys(known).find(candidate => candidate.toLowerCase() === name.toLowerCase())
  if (key !== undefined) return known[key]
  throw new DbError('InvalidArguments', `unknown ${what} ${name}, expected one of ${Object.keys(known).join(', ')}`)
}
