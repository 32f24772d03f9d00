// Reading the access log of AWS application load balancers.
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, type Kind, kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, type Value } from '../../value.ts'
import { parseFloatText } from '../coerce.ts'
import { readWhole } from './capture.ts'

type FieldType = 'text' | 'dash' | 'float' | 'integer' | 'request' | 'quoted' | 'list'

/** The fields of a line in their order. Of type `dash` are texts that may be absent. */
const layout: readonly (readonly [name: string, type: FieldType])[] = [
  ['type', 'text'],
  ['timestamp', 'text'],
  ['elb', 'text'],
  ['client_host', 'dash'],
  ['target_host', 'dash'],
  ['request_processing_time', 'float'],
  ['target_processing_time', 'float'],
  ['response_processing_time', 'float'],
  ['elb_status_code', 'dash'],
  ['target_status_code', 'dash'],
  ['received_bytes', 'integer'],
  ['sent_bytes', 'integer'],
  ['request', 'request'],
  ['user_agent', 'quoted'],
  ['ssl_cipher', 'dash'],
  ['ssl_protocol', 'dash'],
  ['target_group_arn', 'dash'],
  ['trace_id', 'quoted'],
  ['domain_name', 'quoted'],
  ['chosen_cert_arn', 'quoted'],
  ['matched_rule_priority', 'dash'],
  ['request_creation_time', 'dash'],
  ['actions_executed', 'quoted'],
  ['redirect_url', 'quoted'],
  ['error_reason', 'quoted'],
  ['target_port_list', 'list'],
  ['target_status_code_list', 'list'],
  ['classification', 'quoted'],
  ['classification_reason', 'quoted']
]

const nullable = union(kinds.string, kinds.null)
const kindOfType: Readonly<Record<FieldType, Kind>> = {
  text: kinds.string,
  dash: nullable,
  float: kinds.float,
  integer: kinds.integer,
  request: nullable,
  quoted: nullable,
  list: arrayOf(kinds.string)
}
const fields: Record<string, Kind> = {
  request_method: nullable,
  request_url: nullable,
  request_protocol: nullable,
  traceability_id: nullable
}
for (const [name, type] of layout) if (type !== 'request') fields[name] = kindOfType[type]

export const albParser: FunctionSpec = {
  name: 'parse_aws_alb_log',
  summary: 'Reads a line of the access log of an AWS application load balancer; a dash is null.',
  params: [
    { name: 'value', kind: kinds.string },
    { name: 'strict_mode', kind: kinds.boolean, default: true }
  ],
  returns: objectOf(fields),
  fallible: true,
  run: (value: Text, strict: boolean) => readLine(lossy(value), strict),
  examples: [
    {
      title: 'The request of a line',
      source:
        'parse_aws_alb_log!(s\'http 2025-03-04T05:06:07Z app/lb/1 10.1.2.3:80 - 0.000 0.001 0.000 200 200 34 366 "GET http://a/b HTTP/1.1" "curl" - - arn:1 "Root=1" "-" "-" 0 2025-03-04T05:06:06Z "forward" "-" "-" "-" "-" "-" "-"\').request_url',
      result: '"http://a/b"'
    },
    { title: 'Another line', source: 'parse_aws_alb_log!("http")', raises: 'failed to parse "timestamp"' }
  ]
}

const token = /\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/sy

function readLine(text: string, strict: boolean): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>()
  let at = 0
  const next = (): { readonly text: string; readonly quoted: boolean } | undefined => {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) return undefined
    at = token.lastIndex
    return { text: match[1] ?? match[2]!, quoted: match[1] !== undefined }
  }
  for (const [name, type] of layout) {
    const part = next()
    const quotes = type === 'quoted' || type === 'request' || type === 'list'
    if (part === undefined || part.quoted !== quotes) throw fail(`failed to parse "${name}" at position ${at}`)
    if (type === 'request') putRequest(found, part.text)
    else found.set(name, convert(name, type, part.text))
  }
  const rest = at
  const trace = next()
  const known = trace !== undefined && !trace.quoted && trace.text.startsWith('TID_')
  found.set('traceability_id', known ? trace.text : null)
  const left = text.slice(known ? at : rest).trim()
  if (strict && left !== '') throw fail(`Log should be fully consumed: "${left.slice(0, 100)}"`)
  return found
}

function convert(name: string, type: FieldType, text: string): Value {
  switch (type) {
    case 'text':
      return text
    case 'float':
      return parseFloatText(text)
    case 'integer':
      return readWhole(name, text)
    case 'list':
      return text === '-' || text === '' ? [] : text.split(/\s+/).filter(part => part !== '')
    default:
      return text === '-' ? null : text
  }
}

/** Method and protocol are the first and the last word. */
function putRequest(found: Map<string, Value>, text: string): void {
  const first = text.indexOf(' ')
  const last = text.lastIndexOf(' ')
  if (first < 0 || last === first) throw fail('failed to parse "request": expected a method, a URL and a protocol')
  const known = (part: string) => (part === '-' || part === '' ? null : part)
  found.set('request_method', known(text.slice(0, first)))
  found.set('request_url', known(text.slice(first + 1, last)))
  found.set('request_protocol', known(text.slice(last + 1)))
}
