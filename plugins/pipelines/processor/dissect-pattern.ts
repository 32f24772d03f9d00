// Dissect patterns: reads their grammar into steps and matches them on bytes.
import { shownText } from '../cell/input.ts'

type Placeholder =
  | { readonly kind: 'skip' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'append'; readonly name: string; readonly order: number }
  | { readonly kind: 'key' | 'value'; readonly name: string }

/** A placeholder and the literal that ends it; an empty literal after the last one means the rest of the text. */
interface DissectStep {
  readonly placeholder: Placeholder
  readonly literal: Uint8Array
  /** Bytes of the literal's first character. */
  readonly stopLength: number
  /** Repeats of the stop character after the value are skipped. */
  readonly padded: boolean
}

export interface DissectPattern {
  readonly text: string
  readonly prefix: Uint8Array
  readonly steps: readonly DissectStep[]
}

/** Compiles a pattern. `refuse` makes the error to throw. */
export function parseDissect(text: string, refuse: (message: string) => Error): DissectPattern {
  const fail = (reason: string) =>
    refuse(`Field parse from string failed: dissect pattern ${shownText(text)}: ${reason}`)
  if (text === '') throw fail('the pattern is empty')
  const encoder = new TextEncoder()
  const open = text.indexOf('%{')
  const prefix = open < 0 ? text : text.slice(0, open)
  const steps: DissectStep[] = []
  let at = open
  while (at >= 0 && at < text.length) {
    const close = text.indexOf('}', at)
    if (close < 0) throw fail('a placeholder is not closed')
    const next = text.indexOf('%{', close)
    const literal = text.slice(close + 1, next < 0 ? text.length : next)
    if (next >= 0 && literal === '') throw fail('two placeholders need text between them')
    const { placeholder, padded } = parsePlaceholder(text.slice(at + 2, close), fail)
    const stop = literal === '' ? '' : String.fromCodePoint(literal.codePointAt(0)!)
    steps.push({ placeholder, literal: encoder.encode(literal), stopLength: encoder.encode(stop).length, padded })
    at = next
  }
  checkMaps(steps, fail)
  return { text, prefix: encoder.encode(prefix), steps }
}

const placeholderSyntax = /^([+?*&]?)([\p{L}\p{Nd}_]*)((?:\/\d+)*)(->)?$/u

function parsePlaceholder(
  text: string,
  fail: (reason: string) => Error
): { placeholder: Placeholder; padded: boolean } {
  const match = placeholderSyntax.exec(text)
  if (match === null) throw fail(placeholderFault(text))
  const [, modifier, name = '', orders = '', arrow] = match
  const padded = arrow !== undefined
  if (modifier !== '' && name === '') throw fail(`%{${text}} has a modifier without a name`)
  if (orders !== '' && modifier !== '+') throw fail(`%{${text}} has an order without +`)
  if (orders.lastIndexOf('/') > 0) throw fail(`%{${text}} has two orders`)
  if (modifier === '+') return { placeholder: { kind: 'append', name, order: Number(orders.slice(1)) }, padded }
  if (modifier === '*') return { placeholder: { kind: 'key', name }, padded }
  if (modifier === '&') return { placeholder: { kind: 'value', name }, padded }
  const skips = modifier === '?' || name === ''
  return { placeholder: skips ? { kind: 'skip' } : { kind: 'name', name }, padded }
}

function placeholderFault(text: string): string {
  if (/->./u.test(text)) return `-> must stand at the end of %{${text}}`
  if (/-(?!>)/u.test(text)) return `- without > in %{${text}}`
  if (/\/(?!\d)/u.test(text)) return `/ without a number in %{${text}}`
  return `%{${text}} may hold one of + ? * &, then letters, digits and _, then /number, then ->`
}

function checkMaps(steps: readonly DissectStep[], fail: (reason: string) => Error): void {
  const names = (kind: 'key' | 'value') =>
    steps.flatMap(({ placeholder }) => (placeholder.kind === kind ? [placeholder.name] : [])).sort()
  const keys = names('key')
  const values = names('value')
  if (new Set(keys).size !== keys.length || keys.join() !== values.join()) {
    throw fail('every %{*name} needs exactly one %{&name}')
  }
}

/**
 * Matches a range of bytes; writes start and end of the value of step i to `ranges[2 * i]` and `ranges[2 * i + 1]`.
 * A value ends at the first character of its literal, and there the whole literal must stand.
 */
export function matchDissect(
  { prefix, steps }: DissectPattern,
  bytes: Uint8Array,
  start: number,
  end: number,
  ranges: Uint32Array
): boolean {
  if (!standsAt(bytes, start, end, prefix)) return false
  let at = start + prefix.length
  for (let i = 0; i < steps.length; i++) {
    const { literal, stopLength, padded } = steps[i]!
    ranges[i * 2] = at
    if (literal.length === 0) {
      ranges[i * 2 + 1] = end
      return true
    }
    let stop = at
    if (stopLength === 1) {
      const first = literal[0]!
      while (stop < end && bytes[stop] !== first) stop++
    } else while (stop < end && !standsAt(bytes, stop, end, literal, stopLength)) stop++
    ranges[i * 2 + 1] = stop
    if (padded) while (standsAt(bytes, stop + stopLength, end, literal, stopLength)) stop += stopLength
    if (!standsAt(bytes, stop, end, literal)) return false
    at = stop + literal.length
  }
  return true
}

function standsAt(bytes: Uint8Array, at: number, end: number, text: Uint8Array, length = text.length): boolean {
  if (at + length > end) return false
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}
