// Reading syslog messages: RFC 5424, and the older layouts of RFC 3164 as they are met.

import type { Zone } from '../../../../../core/compute.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, objectOf, union } from '../../kind.ts'
import { parseRfc3339 } from '../../time-literal.ts'
import { lossy, type Text, type Value } from '../../value.ts'
import { readStructuredData } from './syslog-data.ts'
import { type Header, readOldMessage } from './syslog-old.ts'

const nullable = union(kinds.string, kinds.null)
const syslogKind = objectOf(
  {
    message: kinds.string,
    hostname: nullable,
    severity: nullable,
    facility: nullable,
    appname: nullable,
    msgid: nullable,
    timestamp: union(kinds.timestamp, kinds.null),
    procid: union(kinds.string, kinds.integer, kinds.null),
    version: union(kinds.integer, kinds.null)
  },
  objectOf({}, kinds.string)
)

function syslogParser(name: string, summary: string, examples: FunctionSpec['examples']): FunctionSpec {
  return {
    name,
    summary,
    params: [{ name: 'value', kind: kinds.string }],
    returns: syslogKind,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text) =>
        readSyslog(lossy(value), context.zone),
    examples
  }
}

export const syslogParsers: readonly FunctionSpec[] = [
  syslogParser('parse_syslog', 'Reads a syslog message.', [
    {
      title: 'With structured data',
      source: 'parse_syslog!(s\'<34>1 2025-03-04T05:06:07.5Z web1 cart 815 ID7 [x@1 a="b"] it is up\')',
      result:
        '{"appname":"cart","facility":"auth","hostname":"web1","message":"it is up","msgid":"ID7","procid":815,"severity":"crit","timestamp":"2025-03-04T05:06:07.500Z","version":1,"x@1":{"a":"b"}}'
    },
    {
      title: 'The older layout',
      source: 'parse_syslog!("<13>2025-03-04T05:06:07Z web1 cron[12]: done")',
      result:
        '{"appname":"cron","facility":"user","hostname":"web1","message":"done","procid":12,"severity":"notice","timestamp":"2025-03-04T05:06:07Z"}'
    },
    {
      title: 'Something else',
      source: 'parse_syslog!("hello")',
      raises: 'unable to parse input as valid syslog message'
    }
  ]),
  syslogParser('parse_linux_authorization', 'Reads a line of the log of authorizations, which is a syslog message.', [
    {
      title: 'A line',
      source: 'parse_linux_authorization!("Mar 23 01:49:58 web1 sshd[1111]: Accepted publickey for ann").appname',
      result: '"sshd"'
    }
  ])
]

const facilities =
  'kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp security console solaris-cron local0 local1 local2 local3 local4 local5 local6 local7'.split(
    ' '
  )
const severities = 'emerg alert crit err warning notice info debug'.split(' ')

function readSyslog(text: string, zone: Zone): ReadonlyMap<string, Value> {
  const priority = /^\s*(?:\d+\s+)?<(\d{1,3})>\s*/.exec(text)
  if (priority !== null && Number(priority[1]) > 191) throw broken()
  const start = priority === null ? 0 : priority[0].length
  const header = (priority === null ? undefined : readNewMessage(text, start)) ?? readOldMessage(text, start, zone)
  if (header === undefined) throw broken()
  const fields = new Map<string, Value>()
  if (priority !== null) {
    fields.set('facility', facilities[Number(priority[1]) >> 3]!)
    fields.set('severity', severities[Number(priority[1]) & 7]!)
  }
  putHeader(fields, header)
  return fields
}

function broken() {
  return fail('unable to parse input as valid syslog message')
}

function putHeader(fields: Map<string, Value>, header: Header): void {
  const { data, procid, ...others } = header
  for (const [name, value] of Object.entries(others)) if (value !== undefined) fields.set(name, value as Value)
  if (procid !== undefined) fields.set('procid', /^\d{1,18}$/.test(procid) ? BigInt(procid) : procid)
  for (const [id, params] of data ?? []) fields.set(id, params)
}

const newHeader = /(\d{1,3})\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*/y

/** RFC 5424, section 6; undefined when the text is not of it. */
function readNewMessage(text: string, start: number): Header | undefined {
  newHeader.lastIndex = start
  const found = newHeader.exec(text)
  if (found === null) return undefined
  const [, version, stamp, hostname, appname, procid, msgid] = found as unknown as string[]
  const timestamp = stamp === '-' ? undefined : parseRfc3339(stamp!)
  if (timestamp === undefined && stamp !== '-') return undefined
  const known = (field: string | undefined) => (field === '-' ? undefined : field)
  const rest = readStructuredData(text, newHeader.lastIndex)
  return {
    version: BigInt(version!),
    timestamp,
    hostname: known(hostname),
    appname: known(appname),
    procid: known(procid),
    msgid: known(msgid),
    data: rest?.data,
    message: messageFrom(text, rest?.end ?? newHeader.lastIndex)
  }
}

/** The rest, without the blank before it and without a byte order mark. */
function messageFrom(text: string, at: number): string {
  return text
    .slice(at)
    .replace(/^\s+/, '')
    .replace(/^\ufeff/, '')
}
