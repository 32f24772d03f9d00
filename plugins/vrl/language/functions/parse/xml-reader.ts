// Parses well-formed XML to a tree of elements and texts. Document type definitions are refused.

import { SaxesParser } from 'saxes'
import { maxDepth } from '../../bounds.ts'
import { type Context, step } from '../../context.ts'
import { fail } from '../../function.ts'

export interface Element {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  /** Elements and texts; texts next to each other are one. */
  readonly children: (Element | string)[]
}

/** Returns the root element. Fails if the text is not well-formed. */
export function readXml(context: Context, text: string): Element {
  const parser = new SaxesParser()
  const broken = (why: string) => fail(`unable to parse xml: ${why} at ${parser.line}:${parser.column}`)
  const document: Element = { name: '', attributes: [], children: [] }
  const open = [document]
  parser.on('error', error => {
    throw broken(error.message.replace(/^\d+:\d+: |\.$/g, ''))
  })
  parser.on('doctype', () => {
    throw broken('a document type definition is not allowed')
  })
  parser.on('opentag', ({ name, attributes }) => {
    step(context)
    if (open.length > maxDepth) throw broken(`it is nested deeper than ${maxDepth} levels`)
    const element: Element = { name, attributes: Object.entries(attributes), children: [] }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
  })
  const addText = (text: string) => {
    const { children } = open.at(-1)!
    const last = children.at(-1)
    if (typeof last === 'string') children[children.length - 1] = last + text
    else if (text !== '') children.push(text)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(text).close()
  return document.children.find(child => typeof child !== 'string')!
}
