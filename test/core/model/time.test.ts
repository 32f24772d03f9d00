import t from 'tap'
import {
  civilFromDays,
  convertTime,
  daysFromCivil,
  daysInMonth,
  formatTimestamp,
  parseTimestamp,
  parseZone,
  utc
} from '../../../core/model/time.ts'

t.test('zone names are read in every documented form and refused otherwise', async t => {
  t.equal(parseZone('utc')?.name, 'UTC')
  t.equal(parseZone('europe/BERLIN')?.name, 'Europe/Berlin')
  t.equal(parseZone('+05:30')?.offset(0), 19_800)
  t.equal(parseZone('-3:30')?.name, '-03:30')
  t.equal(parseZone('-13:59')?.offset(0), -50_340)
  t.equal(parseZone('+14:00')?.offset(0), 50_400)
  t.ok(parseZone('SYSTEM'))
  for (const bad of ['', 'Mars/Olympus', '+14:01', '-14:00', '+5', '+05:60', '5:30', '../etc']) {
    t.equal(parseZone(bad), undefined, `'${bad}'`)
  }
})

t.test('offsets follow the zone through its changes', async t => {
  const berlin = parseZone('Europe/Berlin')!
  const change = Date.UTC(2025, 2, 30, 1) / 1000
  t.equal(berlin.offset(change - 1), 3600)
  t.equal(berlin.offset(change), 7200)
  const tokyo = parseZone('Asia/Tokyo')!
  t.equal(tokyo.offset(change), 32_400)
})

t.test('a local time that was skipped or happened twice is told apart', async t => {
  const zone = parseZone('Europe/Berlin')!
  const local = (...parts: [number, number, number, number, number]) => Date.UTC(...parts) / 1000
  t.equal(zone.localOffset(local(2025, 2, 30, 1, 59)), 3600)
  t.equal(zone.localOffset(local(2025, 2, 30, 2, 30)), 'skipped')
  t.equal(zone.localOffset(local(2025, 2, 30, 3, 0)), 7200)
  t.equal(zone.localOffset(local(2025, 9, 26, 1, 59)), 7200)
  t.equal(zone.localOffset(local(2025, 9, 26, 2, 30)), 'ambiguous')
  t.equal(zone.localOffset(local(2025, 9, 26, 3, 0)), 3600)
  t.equal(zone.localOffset(local(2025, 6, 1, 12, 0)), 7200)
  const newYork = parseZone('America/New_York')!
  t.equal(newYork.localOffset(local(2025, 2, 9, 2, 30)), 'skipped')
  t.equal(newYork.localOffset(local(2025, 10, 2, 1, 30)), 'ambiguous')
})

t.test('civil dates and days convert both ways over four centuries', async t => {
  for (let days = -150_000; days <= 150_000; days += 37) {
    const date = new Date(days * 86_400_000)
    const civil = civilFromDays(days)
    if (
      civil.year !== date.getUTCFullYear() ||
      civil.month !== date.getUTCMonth() + 1 ||
      civil.day !== date.getUTCDate()
    )
      t.fail(`day ${days}`)
    if (daysFromCivil(civil.year, civil.month, civil.day) !== days) t.fail(`back from day ${days}`)
  }
  t.same([daysInMonth(2024, 2), daysInMonth(1900, 2), daysInMonth(2000, 2), daysInMonth(2025, 4)], [29, 28, 29, 30])
})

t.test('timestamp literals', async t => {
  const tokyo = parseZone('Asia/Tokyo')!
  const cases: [string, string, typeof utc?][] = [
    ['2024-11-02', '2024-11-02T00:00:00Z'],
    ['2024-11-02 08:31', '2024-11-02T08:31:00Z'],
    ['2024-11-02 08:31:00.987136415', '2024-11-02T08:31:00.987136415Z'],
    ['2024-11-02T08:31:00.5Z', '2024-11-02T08:31:00.500Z'],
    ['2024-11-02t08:31:00+02:00', '2024-11-02T06:31:00Z'],
    ['2024-11-02 08:31:00 -0330', '2024-11-02T12:01:00Z'],
    ['2024-11-02 08:31:00', '2024-11-01T23:31:00Z', tokyo],
    ['2024-11-02 08:31:00Z', '2024-11-02T08:31:00Z', tokyo],
    ['1969-12-31 23:59:59.999999999', '1969-12-31T23:59:59.999999999Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z']
  ]
  for (const [text, expected, zone = utc] of cases) t.equal(formatTimestamp(parseTimestamp(text, zone)), expected, text)
  for (const bad of ['', 'now', '2024-02-30', '2024-13-01', '2024-01-01 25:00', '2024-01-01 1', '9999-01-01']) {
    t.throws(() => parseTimestamp(bad, utc), { code: 'InvalidArguments' }, bad)
  }
  t.throws(() => parseTimestamp('2025-03-30 02:30:00', parseZone('Europe/Berlin')!), /skipped in Europe\/Berlin/)
})

t.test('time units convert with floor', async t => {
  t.equal(convertTime(-1n, 'ns', 's'), -1n)
  t.equal(convertTime(1_999n, 'ms', 's'), 1n)
  t.equal(convertTime(-1_000n, 'ms', 's'), -1n)
  t.equal(convertTime(7n, 's', 'us'), 7_000_000n)
})
