// Reading the line protocol of InfluxDB into metrics.
import { type Context, checkItems, step } from '../../context.ts'
import { type FunctionSpec, fail } from '../../function.ts'
import { arrayOf, kinds, objectOf, union } from '../../kind.ts'
import { lossy, type Text, Timestamp, type Value } from '../../value.ts'
import { parseFloatText } from '../coerce.ts'

export const lineProtocolParser: FunctionSpec = {
  name: 'parse_influxdb',
  summary:
    "Reads lines of the line protocol: a metric for every field, named after the line's measurement and the field.",
  params: [{ name: 'value', kind: kinds.string }],
  returns: arrayOf(
    objectOf({
      name: kinds.string,
      tags: union(objectOf({}, kinds.string), kinds.null),
      timestamp: union(kinds.timestamp, kinds.null),
      kind: kinds.string,
      gauge: objectOf({ value: kinds.float })
    })
  ),
  fallible: true,
  prepare:
    ({ context }) =>
    (value: Text) =>
      readLines(context, lossy(value)),
  examples: [
    {
      title: 'A line',
      source: 'parse_influxdb!("cpu,host=a used=64i 1741064767000000000")',
      result:
        '[{"gauge":{"value":64.0},"kind":"absolute","name":"cpu_used","tags":{"host":"a"},"timestamp":"2025-03-04T05:06:07Z"}]'
    },
    { title: 'A text', source: 'parse_influxdb!("cpu used=\\"x\\"")', raises: 'fields of texts are no metrics' }
  ]
}

function readLines(context: Context, text: string): Value {
  const metrics: Value[] = []
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    if (trimmed !== '' && !trimmed.startsWith('#'))
      for (const metric of readLine(context, trimmed)) metrics.push(metric)
    checkItems(context, metrics.length)
  }
  return metrics
}

function broken(why: string, line: string) {
  return fail(`unable to parse line protocol: ${why} in "${line.slice(0, 100)}"`)
}

function readLine(context: Context, line: string): Value[] {
  const parts = pieces(line, ' ').filter(part => part !== '')
  if (parts.length < 2 || parts.length > 3) throw broken('expected a measurement, fields and maybe a time', line)
  const [measurement = '', ...tagTexts] = pieces(parts[0]!, ',')
  if (measurement === '') throw broken('the measurement is empty', line)
  const tags = new Map<string, Value>(tagTexts.map(tag => pair(tag, line)))
  const timestamp = parts[2] === undefined ? null : timeOf(parts[2], line)
  return pieces(parts[1]!, ',').map(field => {
    step(context)
    const [name, value] = pair(field, line)
    return new Map<string, Value>([
      ['name', `${unescapeName(measurement)}_${name}`],
      ['tags', tags.size === 0 ? null : tags],
      ['timestamp', timestamp],
      ['kind', 'absolute'],
      ['gauge', new Map<string, Value>([['value', fieldValue(value, line)]])]
    ])
  })
}

/** Splits at separators that are neither escaped nor in quotes. */
function pieces(text: string, separator: string): string[] {
  const found: string[] = []
  let from = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') quoted = !quoted
    else if (text[at] === separator && !quoted) {
      found.push(text.slice(from, at))
      from = at + 1
    }
  }
  found.push(text.slice(from))
  return found
}

function unescapeName(text: string): string {
  return text.replace(/\\([, =\\])/g, '$1')
}

function pair(text: string, line: string): [string, string] {
  const [name, value, ...others] = pieces(text, '=')
  if (name === undefined || name === '' || value === undefined || value === '' || others.length > 0)
    throw broken(`"${text.slice(0, 60)}" is not a pair of a name and a value`, line)
  return [unescapeName(name), unescapeName(value)]
}

function fieldValue(text: string, line: string): number {
  if (/^(t|true)$/i.test(text)) return 1
  if (/^(f|false)$/i.test(text)) return 0
  if (text.startsWith('"')) throw broken('fields of texts are no metrics', line)
  return parseFloatText(/^[+-]?\d+[iu]$/.test(text) ? text.slice(0, -1) : text)
}

function timeOf(text: string, line: string): Timestamp {
  if (!/^-?\d{1,19}$/.test(text)) throw broken('the time is not an integer', line)
  return new Timestamp(BigInt(text))
}
