// Reading the lines of glog and klog, which name a level, a time, a thread and a position in the source.
import { daysFromCivil, daysInMonth, type Zone } from '../../../../../core/compute.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { kinds, objectOf } from '../../kind.ts'
import { lazy } from '../../lazy.ts'
import { Regex } from '../../regex.ts'
import { lossy, type Text, Timestamp, type Value } from '../../value.ts'
import { readWhole } from './capture.ts'
import { guessYear } from './syslog-old.ts'

/** One-unambiguous patterns, which the native engine matches in linear time. */
const line = (date: string) =>
  lazy(
    () =>
      new Regex(
        `^\\s*([A-Za-z])${date}\\s+(\\d{2}):(\\d{2}):(\\d{2})\\.(\\d{1,9})\\s+(\\d+)\\s+([^\\s:]+):(\\d+)\\]\\s((?s:.*))$`
      )
  )
const withYear = line('(\\d{4})(\\d{2})(\\d{2})')
const withoutYear = line('()(\\d{2})(\\d{2})')

const levels: Readonly<Record<string, string>> = { I: 'info', W: 'warning', E: 'error', F: 'fatal' }

const fields = objectOf({
  level: kinds.string,
  timestamp: kinds.timestamp,
  id: kinds.integer,
  file: kinds.string,
  line: kinds.integer,
  message: kinds.string
})

const result =
  '{"file":"main.go","id":815,"level":"info","line":70,"message":"it is up","timestamp":"2025-03-04T05:06:07.250Z"}'

export const klogParsers: readonly FunctionSpec[] = [
  {
    name: 'parse_glog',
    summary: 'Reads a line of glog.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: fields,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text) =>
        readLine('glog', withYear(), lossy(value), context.zone),
    examples: [
      { title: 'A line', source: 'parse_glog!("I20250304 05:06:07.250000 815 main.go:70] it is up")', result },
      { title: 'Another line', source: 'parse_glog!("hello")', raises: 'failed parsing glog message' }
    ]
  },
  {
    name: 'parse_klog',
    summary: 'Reads a line of klog; its year is the current one, or the last for December read in January.',
    params: [{ name: 'value', kind: kinds.string }],
    returns: fields,
    fallible: true,
    prepare:
      ({ context }) =>
      (value: Text) =>
        readLine('klog', withoutYear(), lossy(value), context.zone),
    examples: [
      {
        title: 'A line',
        source: 'parse_klog!("W0304 05:06:07.250000     815 main.go:70] it is up").level',
        result: '"warning"'
      },
      { title: 'Another line', source: 'parse_klog!("hello")', raises: 'failed parsing klog message' }
    ]
  }
]

function readLine(name: string, pattern: Regex, text: string, zone: Zone): ReadonlyMap<string, Value> {
  const match = pattern.exec(text)
  if (match === undefined) throw fail(`failed parsing ${name} message`)
  const groups = match.groups as readonly string[]
  const level = levels[groups[1]!.toUpperCase()]
  if (level === undefined) throw fail(`unrecognized log level "${groups[1]}"`)
  return new Map<string, Value>([
    ['level', level],
    ['timestamp', timeOf(name, groups.slice(2, 9), zone)],
    ['id', readWhole('id', groups[9]!)],
    ['file', groups[10]!],
    ['line', readWhole('line', groups[11]!)],
    ['message', groups[12]!.trim()]
  ])
}

function timeOf(name: string, parts: readonly string[], zone: Zone): Timestamp {
  const [, month, day, hour, minute, second] = parts.map(Number) as [number, number, number, number, number, number]
  const year = parts[0] === '' ? guessYear(month) : Number(parts[0])
  const inCalendar = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
  const local = daysFromCivil(year, month, day) * 86_400 + hour * 3600 + minute * 60
  const offset = inCalendar && hour < 24 && minute < 60 && second < 61 ? zone.localOffset(local) : 'absent'
  if (typeof offset === 'string') throw fail(`failed parsing ${name} timestamp`)
  return new Timestamp(BigInt(local + second - offset) * 1_000_000_000n + BigInt(parts[6]!.padEnd(9, '0')))
}
