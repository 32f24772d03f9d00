// Reading the lines of web servers.
import { type Call, type FunctionSpec, fail, type Run } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { Regex } from '../../regex.ts'
import { lossy, type Text } from '../../value.ts'
import { captureFields, captureKind, type FieldTypes } from './capture.ts'
import { readTime, rememberFormats } from './time.ts'

/** A value, or a dash where there is none. */
const dashOr = (pattern: string) => `(?:-|${pattern})`
const quoted = (name: string) => dashOr(`"(?:-|\\s*(?P<${name}>.*?)\\s*)"`)

const requestLine = dashOr(`"(?:-|\\s*(?P<message>(?P<method>\\w+)\\s+(?P<path>.*?)\\s+(?P<protocol>\\S+)|.*?)\\s*)"`)
const accessLine = [
  dashOr('(?P<host>\\S+)'),
  dashOr('(?P<identity>\\S+)'),
  dashOr('(?P<user>\\S+)'),
  dashOr('\\[(?:-|(?P<timestamp>[^\\]]*))\\]'),
  requestLine,
  dashOr('(?P<status>\\d+)'),
  dashOr('(?P<size>\\d+)')
].join('\\s+')
const errorPrefix = [
  dashOr('\\[(?:-|(?P<timestamp>[^\\[\\]]*))\\]'),
  dashOr('\\[(?:-|(?:(?P<module>[^:\\]]*):)?(?P<severity>[^\\]]*))\\]'),
  dashOr('\\[\\s*pid\\s*(?:-|(?P<pid>\\d+)(?::\\s*tid\\s*(?:-|(?P<thread>[^\\]]*))?)?)\\]')
].join('\\s+')
const client = '\\[\\s*client\\s*(?:-|(?P<client>[^\\]]+?):(?P<port>\\d+))\\]'

const line = (pattern: string) => new Regex(`^\\s*${pattern}\\s*$`)

const apacheLines: Readonly<Record<string, readonly Regex[]>> = {
  common: [line(accessLine)],
  combined: [line([accessLine, quoted('referrer'), quoted('agent')].join('\\s+'))],
  error: [
    line(`${errorPrefix}\\s+${client}\\s+${dashOr('(?P<message>.*?)')}`),
    line(`${errorPrefix}\\s+(?P<message1>.*?)\\s*${client}\\s*(?P<message2>.*?)`),
    line(`${errorPrefix}\\s+${dashOr('(?P<message>.*?)')}`)
  ]
}

const proxyLine = (address: string, user: string, size: string) =>
  [
    dashOr(`(?P<${address}>\\S+)`),
    '-',
    dashOr(`(?P<${user}>\\S+)`),
    '\\[(?P<timestamp>[^\\]]+)\\]',
    quoted('request'),
    dashOr('(?P<status>\\d+)'),
    dashOr(`(?P<${size}>\\d+)`)
  ].join('\\s+')
const mainLine = [
  proxyLine('remote_addr', 'remote_user', 'body_bytes_size'),
  quoted('http_referer'),
  quoted('http_user_agent')
].join('\\s+')
const afterComma = (label: string, pattern: string) => `(?:,\\s+${label}:\\s+${pattern})?`

const nginxLines: Readonly<Record<string, readonly Regex[]>> = {
  combined: [
    line(
      `${[proxyLine('client', 'user', 'size'), quoted('referer'), quoted('agent')].join('\\s+')}(?:\\s+"(?:-|(?P<compression>[^"]+))")?`
    )
  ],
  main: [line(`${mainLine}\\s+${quoted('http_x_forwarded_for')}`)],
  ingress_upstreaminfo: [
    line(
      [
        mainLine,
        '(?P<request_length>\\d+)',
        '(?P<request_time>\\d+(?:\\.\\d+)?)',
        '\\[(?:-|(?P<proxy_upstream_name>[^\\]]+))?\\]',
        '\\[(?:-|(?P<proxy_alternative_upstream_name>[^\\]]+))?\\]',
        dashOr('(?P<upstream_addr>\\S+)'),
        dashOr('(?P<upstream_response_length>\\d+)'),
        dashOr('(?P<upstream_response_time>\\d+(?:\\.\\d+)?)'),
        dashOr('(?P<upstream_status>\\d+)'),
        '(?P<req_id>\\S+)'
      ].join('\\s+')
    )
  ],
  error: [
    line(
      `(?P<timestamp>\\S+\\s+\\S+?|\\S+)\\s+\\[(?P<severity>\\w+)\\]\\s+(?P<pid>\\d+)#(?P<tid>\\d+):(?:\\s+\\*(?P<cid>\\d+))?\\s+(?P<message>.*?)${[
        '(?:,\\s+excess:\\s+(?P<excess>[\\d.]+)\\s+by\\s+zone\\s+"(?P<zone>[^"]*)")?',
        afterComma('client', '(?P<client>[^,]+)'),
        afterComma('server', '(?P<server>[^,]*)'),
        afterComma('request', '"(?P<request>[^"]*)"'),
        afterComma('(?:sub)?upstream', '"(?P<upstream>[^"]*)"'),
        afterComma('host', '"(?P<host>[^"]*)"'),
        afterComma('refer+er', '"(?P<referer>[^"]*)"')
      ].join('')}`
    )
  ]
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

const fields = (call: Call, lines: Readonly<Record<string, readonly Regex[]>>) => {
  const kind = captureKind(lines[call.constant('format') as string]!, types)
  return typeof kind === 'function' ? kind(call) : kind
}

export const webLogParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_common_log',
    summary: 'Reads a line of an access log in the common log format.',
    params: [value, timestampFormat],
    returns: captureKind(apacheLines['common']!, types),
    fallible: true,
    prepare: call => {
      const read = reader(call, apacheLines['common']!, accessTime, 'failed parsing common log line')
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

function withFormat(
  call: Call,
  lines: Readonly<Record<string, readonly Regex[]>>,
  time: (format: string) => string,
  failure: string
): Run {
  const format = call.constant('format') as string
  const read = reader(call, lines[format]!, time(format), failure)
  return (text: Text, _: Text, times: Text | undefined) => read(text, times)
}

function reader({ context }: Call, lines: readonly Regex[], time: string, failure: string) {
  const formats = rememberFormats()
  return (text: Text, format: Text | undefined) => {
    const found = captureFields(lines, types, lossy(text), stamp =>
      readTime(stamp, formats(format === undefined ? time : lossy(format)), context.zone)
    )
    if (found === undefined) throw fail(failure)
    return found
  }
}
