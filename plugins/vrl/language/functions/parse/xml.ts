// Reading XML as objects.
import type { Context } from '../../context.ts'
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'
import { type Element, readXml } from './xml-reader.ts'

interface Options {
  readonly trim: boolean
  readonly attributes: boolean
  readonly prefix: string
  readonly textKey: string
  readonly alwaysText: boolean
  readonly booleans: boolean
  readonly nulls: boolean
  readonly numbers: boolean
}

const flag = (name: string, value: boolean) => ({ name, kind: kinds.boolean, default: value })
const text = (name: string, value: string) => ({ name, kind: kinds.string, default: value })

export const xmlParser: FunctionSpec = {
  name: 'parse_xml',
  summary:
    'Reads an XML document as an object: elements by name, those that come again as arrays, attributes with a prefix.',
  params: [
    { name: 'value', kind: kinds.string },
    flag('trim', true),
    flag('include_attr', true),
    text('attr_prefix', '@'),
    text('text_key', 'text'),
    flag('always_use_text_key', false),
    flag('parse_bool', true),
    flag('parse_null', true),
    flag('parse_number', true)
  ],
  returns: kinds.object,
  fallible: true,
  prepare:
    ({ context }) =>
    (
      value: Text,
      trim: boolean,
      attributes: boolean,
      prefix: Text,
      textKey: Text,
      alwaysText: boolean,
      booleans: boolean,
      nulls: boolean,
      numbers: boolean
    ) => {
      const root = readXml(context, lossy(value))
      const options: Options = {
        trim,
        attributes,
        prefix: lossy(prefix),
        textKey: lossy(textKey),
        alwaysText,
        booleans,
        nulls,
        numbers
      }
      return rootValue(root, options)
    },
  examples: [
    {
      title: 'Attributes and texts',
      source: 'parse_xml!(s\'<a b="c"><d>1</d><d>2.5</d><e f="g">true</e></a>\')',
      result: '{"a":{"@b":"c","d":[1,2.5],"e":{"@f":"g","text":true}}}'
    },
    { title: 'Broken', source: 'parse_xml!("<a>")', raises: 'unable to parse xml: unclosed tag: a' }
  ]
}

/** A document as an object, with the defaults of the function. */
export function documentValue(context: Context, source: string): Value {
  const root = readXml(context, source)
  return rootValue(root, {
    trim: true,
    attributes: true,
    prefix: '@',
    textKey: 'text',
    alwaysText: false,
    booleans: true,
    nulls: true,
    numbers: true
  })
}

function rootValue(root: Element, options: Options): Value {
  return new Map([[localName(root.name), elementValue(root, options)]])
}

function elementValue(element: Element, options: Options): Value {
  const attributes = options.attributes ? element.attributes.filter(([name]) => !/^xmlns(:|$)/.test(name)) : []
  const children = options.trim
    ? element.children.filter(
        child => typeof child !== 'string' || child.trim() !== '' || element.children.length === 1
      )
    : element.children
  const [only] = children
  if (attributes.length === 0 && children.length === 1 && typeof only === 'string' && !options.alwaysText)
    return textValue(only, options)
  const object = new Map<string, Value>()
  const lists = new Map<string, Value[]>()
  for (const [name, value] of attributes) object.set(options.prefix + localName(name), value)
  for (const child of children) {
    const isText = typeof child === 'string'
    const value = isText ? textValue(child, options) : elementValue(child, options)
    put(object, lists, isText ? options.textKey : localName(child.name), value)
  }
  return object
}

function put(object: Map<string, Value>, lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key)
  if (list !== undefined) list.push(value)
  else if (object.has(key)) {
    const both = [object.get(key)!, value]
    lists.set(key, both)
    object.set(key, both)
  } else object.set(key, value)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function textValue(text: string, { booleans, nulls, numbers }: Options): Value {
  if (nulls && (text === '' || text === 'null')) return null
  if (booleans && (text === 'true' || text === 'false')) return text === 'true'
  return numbers ? (numberOf(text) ?? text) : text
}

function numberOf(text: string): Value | undefined {
  if (/^[+-]?\d{1,19}$/.test(text)) {
    const value = BigInt(text.replace('+', ''))
    if (value === BigInt.asIntN(64, value)) return value
  }
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}
