// Query strings and URL-encoded forms as records. Lenient: malformed escapes are kept as they are.
import { DbError } from '../errors.ts'
import { runAtOnce, type Steps } from '../pace.ts'

/** Parameters by name; a repeated one has all its values in order. */
export type Parameters = Record<string, string | string[]>

/**
 * Parses `a=1&b=two+words&a=2`. `+` is a space; a run of `%` escapes that is malformed or not UTF-8 stays as it is. Takes
 * linear time and never throws.
 */
export function parseParameters(text: string): Parameters {
  return runAtOnce(readParameters(Buffer.from(text)))
}

/** Like `parseParameters`, from UTF-8 bytes, in steps. Throws DbError `InvalidArguments` beyond `maxFields` fields. */
export function* readParameters(bytes: Buffer, maxFields = Number.POSITIVE_INFINITY): Steps<Parameters> {
  const parameters: Parameters = Object.create(null)
  const text = new DecodedText(bytes)
  let fields = 0
  for (let start = 0; start < bytes.length; ) {
    const end = indexWithin(bytes, ampersand, start, bytes.length)
    if (end > start) {
      if (++fields > maxFields) throw tooMany(maxFields)
      const equals = indexWithin(bytes, equalsSign, start, end)
      text.begin(start)
      while (!text.advance(equals)) yield
      const key = text.take()
      text.begin(equals + 1)
      while (!text.advance(end)) yield
      addValue(parameters, key, text.take())
      if (fields % fieldsOfStep === 0) yield
    }
    start = end + 1
  }
  return parameters
}

function addValue(parameters: Parameters, key: string, value: string): void {
  const known = parameters[key]
  if (known === undefined) parameters[key] = value
  else if (typeof known === 'string') parameters[key] = [known, value]
  else known.push(value)
}

function tooMany(max: number): DbError {
  return new DbError('InvalidArguments', `the form has more than ${max} fields (http.max_form_fields)`)
}

/** The fields of a form that `acceptForms` has parsed; undefined for a request without one. */
export function formOf({ body }: { readonly body: unknown }): Parameters | undefined {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? (body as Parameters) : undefined
}

/** A parameter of a request: from the URL, else from the form. */
export function parameterOf(
  request: { readonly query: unknown; readonly body: unknown },
  key: string
): string | undefined {
  const form = formOf(request)
  return firstValue(request.query as Parameters, key) ?? (form && firstValue(form, key))
}

/** The first value of a parameter; undefined if it is absent. */
export function firstValue(parameters: Parameters, key: string): string | undefined {
  const value = parameters[key]
  return Array.isArray(value) ? value[0] : value
}

const ampersand = 0x26
const equalsSign = 0x3d
const percent = 0x25
const plus = 0x2b

/** The position of a byte before `end`, or `end`. Unlike `indexOf` it stops there. */
function indexWithin(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== byte) at++
  return at
}

/** Bytes, and fields, decoded in one step. */
const stepBytes = 64 << 10
const fieldsOfStep = 1_000

/** Decodes one range after the other. */
class DecodedText {
  readonly #bytes: Buffer
  readonly #decoded: Buffer
  #at = 0
  #to = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#decoded = Buffer.allocUnsafe(bytes.length)
  }

  begin(start: number): void {
    this.#at = start
    this.#to = 0
  }

  /** Decodes one step; true if the end is reached. */
  advance(end: number): boolean {
    const bytes = this.#bytes
    const decoded = this.#decoded
    const pause = Math.min(end, this.#at + stepBytes)
    let at = this.#at
    let to = this.#to
    while (at < pause) {
      const byte = bytes[at]!
      if (byte !== percent) {
        decoded[to++] = byte === plus ? 0x20 : byte
        at++
        continue
      }
      const from = to
      const run = at
      for (let value = escaped(bytes, at, end); value >= 0; value = escaped(bytes, at, end)) {
        decoded[to++] = value
        at += 3
      }
      if (at === run) {
        decoded[to++] = percent
        at++
      } else if (!isText(decoded, from, to)) {
        to = from
        for (let i = run; i < at; i++) decoded[to++] = bytes[i]!
      }
    }
    this.#at = at
    this.#to = to
    return at >= end
  }

  take(): string {
    return this.#to === 0 ? '' : this.#decoded.toString('utf8', 0, this.#to)
  }
}

/** The byte that `%xx` at this position stands for; −1 if there is none. */
function escaped(bytes: Uint8Array, at: number, end: number): number {
  if (at + 2 >= end || bytes[at] !== percent) return -1
  const high = digit(bytes[at + 1]!)
  const low = digit(bytes[at + 2]!)
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Whether a range is valid UTF-8. A loop, because a form may have a million ranges of three bytes and each call of the library costs. */
function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const lead = bytes[at++]!
    if (lead < 0x80) continue
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0
    if (more === 0 || at + more > end) return false
    const second = bytes[at]!
    if (lead === 0xe0 && second < 0xa0) return false
    if (lead === 0xed && second > 0x9f) return false
    if (lead === 0xf0 && second < 0x90) return false
    if (lead === 0xf4 && second > 0x8f) return false
    for (const last = at + more; at < last; at++) if ((bytes[at]! & 0xc0) !== 0x80) return false
  }
  return true
}
