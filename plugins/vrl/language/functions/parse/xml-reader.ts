// Reads XML into a tree of elements and texts: what is well-formed, without document type definitions.
import { type Context, step } from '../../context.ts'
import { fail } from '../../function.ts'

export interface Element {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  /** Elements and texts; texts next to each other are one. */
  readonly children: (Element | string)[]
}

interface Reader {
  readonly context: Context
  readonly text: string
  at: number
}

const maxDepth = 128

/** The root element. Fails for what is not well-formed. */
export function readXml(context: Context, text: string): Element {
  const reader: Reader = { context, text, at: text.charCodeAt(0) === 0xfeff ? 1 : 0 }
  skipMisc(reader)
  if (reader.text[reader.at] !== '<') throw broken(reader, 'the document has no root element')
  const root = readTree(reader)
  skipMisc(reader)
  if (reader.at < text.length) throw broken(reader, 'there is something behind the root element')
  return root
}

function broken({ text, at }: Reader, why: string) {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return fail(`unable to parse xml: ${why} at ${line}:${at - before.lastIndexOf('\n')}`)
}

/** Blanks, comments and instructions around the root. */
function skipMisc(reader: Reader): void {
  for (;;) {
    while (' \t\r\n'.includes(reader.text[reader.at] ?? '.')) reader.at++
    if (reader.text.startsWith('<!DOCTYPE', reader.at))
      throw broken(reader, 'a document type definition is not allowed')
    if (!skipNote(reader)) return
  }
}

/** Passes a comment or an instruction. */
function skipNote(reader: Reader): boolean {
  const { text, at } = reader
  const close = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '?>' : undefined
  if (close === undefined) return false
  const end = text.indexOf(close, at + 2)
  if (end < 0) throw broken(reader, `"${close}" is missing`)
  reader.at = end + close.length
  return true
}

function readTree(reader: Reader): Element {
  const { text } = reader
  const open: Element[] = []
  for (;;) {
    step(reader.context)
    const parent = open.at(-1)
    if (reader.at >= text.length) throw broken(reader, `the element "${parent?.name}" does not end`)
    if (parent === undefined && !/<[^/!?]/y.test(text.slice(reader.at, reader.at + 2)))
      throw broken(reader, 'the document has no root element')
    if (text[reader.at] !== '<') addText(parent!, readText(reader))
    else if (text.startsWith('<![CDATA[', reader.at)) addText(parent!, readCdata(reader))
    else if (text.startsWith('</', reader.at)) {
      readEnd(reader, open.pop()!)
      if (open.length === 0) return parent!
    } else if (!skipNote(reader)) {
      const { element, closed } = readStart(reader)
      parent?.children.push(element)
      if (!closed) open.push(element)
      else if (parent === undefined) return element
      if (open.length > maxDepth) throw broken(reader, `it is nested deeper than ${maxDepth} levels`)
    }
  }
}

function addText({ children }: Element, text: string): void {
  if (text === '') return
  const last = children.at(-1)
  if (typeof last === 'string') children[children.length - 1] = last + text
  else children.push(text)
}

function readText(reader: Reader): string {
  const { text, at } = reader
  const end = text.indexOf('<', at)
  reader.at = end < 0 ? text.length : end
  return resolve(reader, text.slice(at, reader.at))
}

function readCdata(reader: Reader): string {
  const start = reader.at + 9
  const end = reader.text.indexOf(']]>', start)
  if (end < 0) throw broken(reader, '"]]>" is missing')
  reader.at = end + 3
  return reader.text.slice(start, end)
}

const name = /[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*/uy

function readName(reader: Reader): string {
  name.lastIndex = reader.at
  const found = name.exec(reader.text)
  if (found === null) throw broken(reader, 'a name is missing')
  reader.at = name.lastIndex
  return found[0]
}

function skipBlanks(reader: Reader): boolean {
  const start = reader.at
  while (' \t\r\n'.includes(reader.text[reader.at] ?? '.')) reader.at++
  return reader.at > start
}

function readEnd(reader: Reader, element: Element): void {
  reader.at += 2
  const found = readName(reader)
  if (found !== element.name) throw broken(reader, `"${element.name}" was opened and "${found}" closed`)
  skipBlanks(reader)
  if (reader.text[reader.at] !== '>') throw broken(reader, '">" is missing')
  reader.at++
}

function readStart(reader: Reader): { readonly element: Element; readonly closed: boolean } {
  reader.at++
  const attributes: (readonly [string, string])[] = []
  const element: Element = { name: readName(reader), attributes, children: [] }
  const seen = new Set<string>()
  for (;;) {
    const blank = skipBlanks(reader)
    const closed = reader.text.startsWith('/>', reader.at)
    if (closed || reader.text[reader.at] === '>') {
      reader.at += closed ? 2 : 1
      return { element, closed }
    }
    if (!blank) throw broken(reader, 'a blank before an attribute is missing')
    const attribute = readAttribute(reader)
    if (seen.has(attribute[0])) throw broken(reader, `the attribute "${attribute[0]}" comes twice`)
    seen.add(attribute[0])
    attributes.push(attribute)
  }
}

function readAttribute(reader: Reader): readonly [string, string] {
  const key = readName(reader)
  skipBlanks(reader)
  if (reader.text[reader.at] !== '=') throw broken(reader, `the attribute "${key}" has no value`)
  reader.at++
  skipBlanks(reader)
  const quote = reader.text[reader.at]
  if (quote !== '"' && quote !== "'") throw broken(reader, `the value of "${key}" has no quotes`)
  const end = reader.text.indexOf(quote, reader.at + 1)
  const value = reader.text.slice(reader.at + 1, end < 0 ? undefined : end)
  if (end < 0 || value.includes('<')) throw broken(reader, `the value of "${key}" does not end`)
  reader.at = end + 1
  return [key, resolve(reader, value.replaceAll(/[\t\r\n]/g, ' '))]
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Entities become characters, ends of lines one kind. */
function resolve(reader: Reader, text: string): string {
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replaceAll(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w{1,32}));|&/g, (_, hex, decimal, named) => {
    if (named !== undefined && Object.hasOwn(entities, named)) return entities[named]!
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (!(code > 0 && code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff))
      throw broken(reader, 'an entity is unknown')
    return String.fromCodePoint(code)
  })
}
