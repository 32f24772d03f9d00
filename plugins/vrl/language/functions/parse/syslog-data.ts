// Reading the structured data of syslog messages: RFC 5424, section 6.3.
import type { Value } from '../../value.ts'

export interface StructuredData {
  /** Parameters by the name of their element. */
  readonly data: ReadonlyMap<string, ReadonlyMap<string, Value>>
  /** Where the text goes on. */
  readonly end: number
}

const elementName = /\[\s*([^\s\]="]*)/y
const parameter = /\s*([^\s\]="]+)=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s\]"]*))/sy

/** The elements that begin at `start`, or a dash for none; undefined when neither stands there. */
export function readStructuredData(text: string, start: number): StructuredData | undefined {
  const data = new Map<string, ReadonlyMap<string, Value>>()
  if (text[start] === '-') return { data, end: start + 1 }
  let at = start
  while (text[at] === '[') {
    const element = readElement(text, at)
    if (element === undefined) return at === start ? undefined : { data, end: at }
    if (element.id !== '') data.set(element.id, element.params)
    at = element.end
  }
  return at === start ? undefined : { data, end: at }
}

interface Element {
  readonly id: string
  readonly params: ReadonlyMap<string, Value>
  readonly end: number
}

function readElement(text: string, start: number): Element | undefined {
  elementName.lastIndex = start
  const name = elementName.exec(text)
  if (name === null) return undefined
  const params = new Map<string, Value>()
  let at = elementName.lastIndex
  for (;;) {
    parameter.lastIndex = at
    const found = parameter.exec(text)
    if (found === null) break
    params.set(found[1]!, found[2] === undefined ? found[3]! : found[2].replace(/\\(["\\\]])/g, '$1'))
    at = parameter.lastIndex
  }
  while (text[at] === ' ') at++
  return text[at] === ']' ? { id: name[1]!, params, end: at + 1 } : undefined
}
