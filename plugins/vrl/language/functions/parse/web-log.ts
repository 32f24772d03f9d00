// Reading the lines of web servers.
import { type Call, type FunctionSpec, fail, type Run } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { lazy } from '../../lazy.ts'
import { Regex } from '../../regex.ts'
import { lossy, type Text } from '../../value.ts'
import { captureFields, captureKind, type FieldTypes, type Layout } from './capture.ts'
import { readTime, rememberFormats } from './time.ts'

/** Patterns for the parts of lines. */
interface Style {
  readonly blank: string
  readonly word: (name: string) => string
  readonly quoted: (name: string) => string
  readonly time: string
  readonly request: string
  readonly layout: (pattern: string) => Layout
}

/** Matches a value, or a dash in place of a missing one. */
const dashOr = (pattern: string) => `(?:-|${pattern})`
const digits = (name: string) => dashOr(`(?P<${name}>\\d+)`)

/** Accepts any number of blanks, dashes anywhere, and quotes within quotes. */
const lenient: Style = {
  blank: '\\s+',
  word: name => dashOr(`(?P<${name}>\\S+)`),
  quoted: name => dashOr(`"(?:-|\\s*(?P<${name}>.*?)\\s*)"`),
  time: dashOr('\\[(?:-|(?P<timestamp>[^\\]]*))\\]'),
  request: dashOr(`"(?:-|\\s*(?P<message>(?P<method>\\w+)\\s+(?P<path>.*?)\\s+(?P<protocol>\\S+)|.*?)\\s*)"`),
  layout: pattern => ({ pattern: new Regex(`^\\s*${pattern}\\s*$`) })
}

/** Patterns for lines as servers write them. They are one-unambiguous, hence matched by the native engine in linear time. */
const plain: Style = {
  blank: ' ',
  word: name => `(?P<${name}>\\S+)`,
  quoted: name => `"(?P<${name}>[^"\\\\\\n]*)"`,
  time: '\\[(?P<timestamp>[^\\]\\n]+)\\]',
  request: `"(?P<message>(?P<method>\\w+) (?P<path>[^\\s"\\\\]+) (?P<protocol>[^\\s"\\\\]+))"`,
  layout: pattern => ({ pattern: new Regex(`^${pattern}$`), raw: true })
}

type Lines = Readonly<Record<string, () => readonly Layout[]>>

/** The patterns of a layout in both styles, the faster one first. */
function inStyles(parts: (style: Style) => readonly string[]): () => readonly Layout[] {
  return lazy(() => [plain, lenient].map(style => style.layout(parts(style).join(style.blank))))
}

const accessLine = ({ word, time, request }: Style) => [
  word('host'),
  word('identity'),
  word('user'),
  time,
  request,
  digits('status'),
  digits('size')
]
const errorPrefix = [
  dashOr('\\[(?:-|(?P<timestamp>[^\\[\\]]*))\\]'),
  dashOr('\\[(?:-|(?:(?P<module>[^:\\]]*):)?(?P<severity>[^\\]]*))\\]'),
  dashOr('\\[\\s*pid\\s*(?:-|(?P<pid>\\d+)(?::\\s*tid\\s*(?:-|(?P<thread>[^\\]]*))?)?)\\]')
].join('\\s+')
const client = '\\[\\s*client\\s*(?:-|(?P<client>[^\\]]+?):(?P<port>\\d+))\\]'

const apacheLines: Lines = {
  common: inStyles(accessLine),
  combined: inStyles(style => [...accessLine(style), style.quoted('referrer'), style.quoted('agent')]),
  error: lazy(() =>
    [
      `${errorPrefix}\\s+${client}\\s+${dashOr('(?P<message>.*?)')}`,
      `${errorPrefix}\\s+(?P<message1>.*?)\\s*${client}\\s*(?P<message2>.*?)`,
      `${errorPrefix}\\s+${dashOr('(?P<message>.*?)')}`
    ].map(lenient.layout)
  )
}

const proxyLine = ({ word, quoted }: Style, address: string, user: string, size: string) => [
  word(address),
  '-',
  word(user),
  '\\[(?P<timestamp>[^\\]\\n]+)\\]',
  quoted('request'),
  digits('status'),
  digits(size)
]
const mainLine = (style: Style) => [
  ...proxyLine(style, 'remote_addr', 'remote_user', 'body_bytes_size'),
  style.quoted('http_referer'),
  style.quoted('http_user_agent')
]
const ingressLine = (style: Style) => [
  ...mainLine(style),
  '(?P<request_length>\\d+)',
  '(?P<request_time>\\d+(?:\\.\\d+)?)',
  '\\[(?:-|(?P<proxy_upstream_name>[^\\]]+))?\\]',
  '\\[(?:-|(?P<proxy_alternative_upstream_name>[^\\]]+))?\\]',
  style.word('upstream_addr'),
  digits('upstream_response_length'),
  dashOr('(?P<upstream_response_time>\\d+(?:\\.\\d+)?)'),
  digits('upstream_status'),
  '(?P<req_id>\\S+)'
]
const afterComma = (label: string, pattern: string) => `(?:,\\s+${label}:\\s+${pattern})?`
const proxyError = [
  '(?P<timestamp>\\S+\\s+\\S+?|\\S+)\\s+\\[(?P<severity>\\w+)\\]\\s+(?P<pid>\\d+)#(?P<tid>\\d+):(?:\\s+\\*(?P<cid>\\d+))?\\s+(?P<message>.*?)',
  '(?:,\\s+excess:\\s+(?P<excess>[\\d.]+)\\s+by\\s+zone\\s+"(?P<zone>[^"]*)")?',
  afterComma('client', '(?P<client>[^,]+)'),
  afterComma('server', '(?P<server>[^,]*)'),
  afterComma('request', '"(?P<request>[^"]*)"'),
  afterComma('(?:sub)?upstream', '"(?P<upstream>[^"]*)"'),
  afterComma('host', '"(?P<host>[^"]*)"'),
  afterComma('refer+er', '"(?P<referer>[^"]*)"')
].join('')

const nginxLines: Lines = {
  combined: inStyles(style => {
    const parts = [...proxyLine(style, 'client', 'user', 'size'), style.quoted('referer'), style.quoted('agent')]
    return [...parts.slice(0, -1), `${parts.at(-1)}(?:${style.blank}"(?:-|(?P<compression>[^"-][^"]*))")?`]
  }),
  main: inStyles(style => [...mainLine(style), style.quoted('http_x_forwarded_for')]),
  ingress_upstreaminfo: inStyles(ingressLine),
  error: lazy(() => [lenient.layout(proxyError)])
}

const types: FieldTypes = {
  timestamp: 'timestamp',
  status: 'integer',
  size: 'integer',
  pid: 'integer',
  tid: 'integer',
  cid: 'integer',
  port: 'integer',
  body_bytes_size: 'integer',
  request_length: 'integer',
  upstream_response_length: 'integer',
  upstream_status: 'integer',
  excess: 'float',
  request_time: 'float',
  upstream_response_time: 'float'
}

const accessTime = '%d/%b/%Y:%T %z'
const value = { name: 'value', kind: kinds.string }
const timestampFormat = { name: 'timestamp_format', kind: kinds.string, optional: true }

const fields = (call: Call, lines: Lines) => captureKind(lines[call.constant('format') as string]!(), types)

export const webLogParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_common_log',
    summary: 'Reads a line of an access log in the common log format.',
    params: [value, timestampFormat],
    returns: () => captureKind(apacheLines['common']!(), types),
    fallible: true,
    prepare: call => {
      const read = reader(call, apacheLines['common']!(), accessTime, 'failed parsing common log line')
      return (text: Text, format: Text | undefined) => read(text, format)
    },
    examples: [
      {
        title: 'A line',
        source: 'parse_common_log!(s\'10.1.2.3 - ann [04/Mar/2025:06:06:07 +0100] "GET /cart HTTP/1.1" 200 512\')',
        result:
          '{"host":"10.1.2.3","message":"GET /cart HTTP/1.1","method":"GET","path":"/cart","protocol":"HTTP/1.1","size":512,"status":200,"timestamp":"2025-03-04T05:06:07Z","user":"ann"}'
      },
      { title: 'Another line', source: 'parse_common_log!("hello")', raises: 'failed parsing common log line' }
    ]
  },
  {
    name: 'parse_apache_log',
    summary: 'Reads a line of an Apache log: access lines in the common or combined format, or error lines.',
    params: [
      value,
      { name: 'format', kind: kinds.string, constant: true, oneOf: Object.keys(apacheLines) },
      timestampFormat
    ],
    returns: call => fields(call, apacheLines),
    fallible: true,
    prepare: call => withFormat(call, apacheLines, () => accessTime, 'failed parsing common log line'),
    examples: [
      {
        title: 'An error',
        source:
          'parse_apache_log!(s\'[04/Mar/2025:05:06:07 +0000] [core:error] [pid 12:tid 34] [client 10.1.2.3:5678] no such file\', "error")',
        result:
          '{"client":"10.1.2.3","message":"no such file","module":"core","pid":12,"port":5678,"severity":"error","thread":"34","timestamp":"2025-03-04T05:06:07Z"}'
      }
    ]
  },
  {
    name: 'parse_nginx_log',
    summary: 'Reads a line of an nginx log: access lines in three formats, or error lines.',
    params: [
      value,
      { name: 'format', kind: kinds.string, constant: true, oneOf: Object.keys(nginxLines) },
      timestampFormat
    ],
    returns: call => fields(call, nginxLines),
    fallible: true,
    prepare: call =>
      withFormat(
        call,
        nginxLines,
        format => (format === 'error' ? '%Y/%m/%d %H:%M:%S' : accessTime),
        'failed parsing log line'
      ),
    examples: [
      {
        title: 'An access line',
        source:
          'parse_nginx_log!(s\'10.1.2.3 - - [04/Mar/2025:05:06:07 +0000] "GET / HTTP/1.1" 200 615 "-" "curl/8.1"\', "combined")',
        result:
          '{"agent":"curl/8.1","client":"10.1.2.3","request":"GET / HTTP/1.1","size":615,"status":200,"timestamp":"2025-03-04T05:06:07Z"}'
      },
      {
        title: 'An error',
        source:
          'parse_nginx_log!(s\'2025/03/04 05:06:07 [error] 31#32: *1 open() failed, client: 10.1.2.3, server: web, request: "GET / HTTP/1.1"\', "error")',
        result:
          '{"cid":1,"client":"10.1.2.3","message":"open() failed","pid":31,"request":"GET / HTTP/1.1","server":"web","severity":"error","tid":32,"timestamp":"2025-03-04T05:06:07Z"}'
      }
    ]
  }
]

function withFormat(call: Call, lines: Lines, time: (format: string) => string, failure: string): Run {
  const format = call.constant('format') as string
  const read = reader(call, lines[format]!(), time(format), failure)
  return (text: Text, _: Text, times: Text | undefined) => read(text, times)
}

function reader({ context }: Call, lines: readonly Layout[], time: string, failure: string) {
  const formats = rememberFormats()
  return (text: Text, format: Text | undefined) => {
    const found = captureFields(lines, types, lossy(text), stamp =>
      readTime(stamp, formats(format === undefined ? time : lossy(format)), context.zone)
    )
    if (found === undefined) throw fail(failure)
    return found
  }
}
