import fc from 'fast-check'
import t from 'tap'
import { formatTimestamp, type Item, Timestamp } from '../../../../core/index.ts'
import { compileDateFormat } from '../../../../core/model/date/format.ts'
import { compile, processed } from '../sample-run.ts'

const date = (at: string, options: string) => {
  const result = processed(`  - date: { field: at${options} }`, { at })
  if (typeof result === 'string') return result
  return result['at'] instanceof Timestamp ? formatTimestamp(result['at'].ns) : 'unchanged'
}

const withFormat = (format: string, at: string, zone = '') => date(at, `, formats: [${JSON.stringify(format)}]${zone}`)

t.test('every specifier reads what it names', async t => {
  const cases: [string, string, string][] = [
    ['%Y-%m-%d %H:%M:%S', '2025-3-4 5:6:7', '2025-03-04T05:06:07Z'],
    ['%d/%b/%Y:%H:%M:%S %z', '10/Oct/2000:13:55:36 -0700', '2000-10-10T20:55:36Z'],
    ['%a %b %d %H:%M:%S %Y', 'Sun Dec 04 04:47:44 2005', '2005-12-04T04:47:44Z'],
    ['%y%m%d %H%M%S', '081109 203615', '2008-11-09T20:36:15Z'],
    ['%y/%m/%d %H:%M:%S', '17/06/09 20:10:40', '2017-06-09T20:10:40Z'],
    ['%A, %e %B %Y %H:%M', 'TUESDAY,  4 march 2025 05:06', '2025-03-04T05:06:00Z'],
    ['%A %d %B %Y %k:%M', 'Tue 04 Mar 2025  5:06', '2025-03-04T05:06:00Z'],
    ['%I:%M %p %m/%d/%y', '12:30 am 03/04/25', '2025-03-04T00:30:00Z'],
    ['%l:%M:%S %P %D', ' 1:02:03 PM 03/04/70', '1970-03-04T13:02:03Z'],
    ['%C%y-%j %R', '2025-063 05:06', '2025-03-04T05:06:00Z'],
    ['%Y-%m-%dT%H:%M:%S%.f', '2025-03-04T05:06:07.123456789123', '2025-03-04T05:06:07.123456789Z'],
    ['%Y-%m-%dT%H:%M:%S%.3fZ', '2025-03-04T05:06:07.5Z', '2025-03-04T05:06:07.500Z'],
    ['%Y-%m-%dT%H:%M:%S%.3f', '2025-03-04T05:06:07', '2025-03-04T05:06:07Z'],
    ['%Y-%m-%d %H:%M:%S,%3f', '2025-03-04 05:06:07,120', '2025-03-04T05:06:07.120Z'],
    ['%Y-%m-%d %H:%M:%S %f', '2025-03-04 05:06:07 120', '2025-03-04T05:06:07.000000120Z'],
    ['%s', '1741064767', '2025-03-04T05:06:07Z'],
    ['%s%.f', '-1.5', '1969-12-31T23:59:59.500Z'],
    ['%F %T %#z', '2025-03-04 05:06:07 +02', '2025-03-04T03:06:07Z'],
    ['%F %T%#z', '2025-03-04 05:06:07Z', '2025-03-04T05:06:07Z'],
    ['%F %X %:z', '2025-03-04 05:06:07 -03:30', '2025-03-04T08:36:07Z'],
    ['%F %T %Z', '2025-03-04 05:06:07 CEST', '2025-03-04T05:06:07Z'],
    ['%+', '2025-03-04T05:06:07.25+01:00', '2025-03-04T04:06:07.250Z'],
    ['%c', 'Tue Mar  4 05:06:07 2025', '2025-03-04T05:06:07Z'],
    ['%v %r', ' 4-Mar-2025 05:06:07 AM', '2025-03-04T05:06:07Z'],
    ['%Y %U %w %R', '2025 9 2 05:06', '2025-03-04T05:06:00Z'],
    ['%Y %W %u %R', '2025 9 2 05:06', '2025-03-04T05:06:00Z'],
    ['%G-W%V-%u %R', '2025-W10-2 05:06', '2025-03-04T05:06:00Z'],
    ['%-d.%0m.%_Y %H:%M', '4.03.2025 05:06', '2025-03-04T05:06:00Z'],
    ['%d%%%m%t%Y%n%R', '04%03 2025\n05:06', '2025-03-04T05:06:00Z'],
    ['%H:%M:%S %F', '23:59:60 2016-12-31', '2017-01-01T00:00:00Z'],
    ['am %d.%m.%Y um %H:%M', 'am 04.03.2025  um 06:06', '2025-03-04T06:06:00Z']
  ]
  for (const [format, text, expected] of cases) t.equal(withFormat(format, text), expected, `${format} on ${text}`)
})

t.test('text that is no such time fails', async t => {
  const cases: [string, string][] = [
    ['%Y-%m-%d', '2025-03-04'],
    ['%Y-%m-%d %H:%M', '2025-02-30 00:00'],
    ['%Y-%m-%d %H:%M', '2025-03-04 05:06 '],
    ['%Y-%m-%d %H:%M', '2025-03-04 24:00'],
    ['%a %F %R', 'Mon 2025-03-04 05:06'],
    ['%j %F %R', '64 2025-03-04 05:06'],
    ['%F %R %z', '2025-03-04 05:06 Z'],
    ['%F %I:%M', '2025-03-04 05:06'],
    ['%Y %m %Y %d %R', '2024 03 2025 04 05:06'],
    ['%F %R', '9999-01-01 00:00'],
    ['%F %T%3f', '2025-03-04 05:06:0712'],
    ['%s', '99999999999']
  ]
  for (const [format, text] of cases) {
    t.match(
      withFormat(format, text),
      /^Processor date: failed to parse ".*" in at \(processors\[0\]/,
      `${format} on ${text}`
    )
  }
})

t.test('without formats, date and time with T are read', async t => {
  for (const text of [
    '2025-03-04T05:06:07Z',
    '2025-03-04T05:06:07',
    '2025-03-04T06:06:07+01:00',
    '2025-03-04T05:06:07.000Z'
  ]) {
    t.equal(date(text, ''), '2025-03-04T05:06:07Z', text)
  }
  t.equal(date('2025-03-04T06:06:07.25+0100', ''), '2025-03-04T05:06:07.250Z')
})

t.test('a time without an offset belongs to the zone', async t => {
  const zone = ', timezone: Europe/Berlin'
  t.equal(withFormat('%d.%m.%Y %H:%M', '04.03.2025 06:06', zone), '2025-03-04T05:06:00Z')
  t.equal(withFormat('%d.%m.%Y %H:%M %z', '04.03.2025 06:06 +0000', zone), '2025-03-04T06:06:00Z')
  t.equal(withFormat('%Y-%m-%dT%H:%MZ', '2025-03-04T06:06Z', zone), '2025-03-04T05:06:00Z')
  t.match(withFormat('%F %R', '2025-03-30 02:30', zone), /failed to parse/)
  t.match(withFormat('%F %R', '2025-10-26 02:30', zone), /failed to parse/)
  t.throws(() => compile('processors:\n  - date: { field: a, timezone: Mars }'), /unknown timezone 'Mars'/)
})

t.test('formats are tried in the order of their text, not as they are written', async t => {
  t.equal(date('01/02/2025 00:00', ', formats: ["%m/%d/%Y %R", "%d/%m/%Y %R"]'), '2025-02-01T00:00:00Z')
  t.equal(date('01/02/2025 00:00', ', formats: ["%d/%m/%Y %R", "%m/%d/%Y %R"]'), '2025-02-01T00:00:00Z')
  t.equal(date('13/02/2025 00:00', ', formats: ["%m/%d/%Y %R", "%d/%m/%Y %R"]'), '2025-02-13T00:00:00Z')
})

t.test('renaming, missing fields and wrong types', async t => {
  const rename = '  - date: { field: "at, ts", formats: ["%s"], ignore_missing: true }'
  t.same(processed(rename, { at: '1' }), { at: '1', ts: new Timestamp(1_000_000_000n) })
  t.same(processed(rename, {}), {})
  t.match(processed(rename, { at: 1n }), /expect string value in at, but got integer/)
  t.match(processed('  - date: { field: at }', {}), /missing field: at/)
  t.throws(() => compile('processors:\n  - date: { field: a, formats: ["%Q"] }'), /unknown date specifier '%Q'/)
  t.throws(() => compile('processors:\n  - date: { field: a, formats: "%s" }'), /formats must be a list of strings/)
})

t.test('equal neighbours share one parse, different ones do not', async t => {
  const text = 'processors:\n  - date: { field: at, formats: ["%s"] }'
  const items: Item[] = ['1', '1', '2', '11', '1'].map(at => ({ at }))
  const { ItemBatch } = await import('../../../../core/index.ts')
  const batch = ItemBatch.from(items)
  for (const processor of compile(text).processors) processor.apply(batch)
  t.same(
    [...batch.field('at')!.ints.subarray(0, 5)],
    [1n, 1n, 2n, 11n, 1n].map(s => s * 1_000_000_000n)
  )
})

t.test('any UTC second is read back from its text', async t => {
  const format = compileDateFormat('%Y-%m-%d %H:%M:%S%.f %z', message => new Error(message))
  const check = fc.check(
    fc.property(fc.bigInt({ min: -9_000_000_000_000_000_000n, max: 9_000_000_000_000_000_000n }), ns => {
      const bytes = Buffer.from(formatTimestamp(ns).replace('T', ' ').replace('Z', ' +0000'))
      const read = format.read(bytes, 0, bytes.length)
      const back = BigInt(format.seconds) * 1_000_000_000n + BigInt(format.nanosecond)
      return read && back === ns && format.offset === 0
    })
  )
  t.notOk(check.failed, fc.defaultReportMessage(check) ?? '')
})
