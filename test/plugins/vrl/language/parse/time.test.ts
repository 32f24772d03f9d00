// Parsing and formatting times by a format.
import t from 'tap'
import { run, table } from './table.ts'

table('a time with an offset needs one', 'parse_timestamp!(.t, "%Y-%m-%d %H:%M:%S %z")', [
  ['2025-03-04 05:06:07 +0100', '"2025-03-04T04:06:07Z"'],
  ['2025-03-04 05:06:07', /does not match the format/]
])

t.test('a time without an offset is local', async t => {
  t.equal(run('parse_timestamp!("2025-07-01 12:00", "%F %R")'), '"2025-07-01T12:00:00Z"')
  t.equal(run('parse_timestamp!("2025-07-01 12:00", "%F %R", "America/New_York")'), '"2025-07-01T16:00:00Z"')
  t.match(run('parse_timestamp!("2025-03-30 02:30", "%F %R", "Europe/Berlin")'), 'skipped')
  t.match(run('parse_timestamp!("2025-10-26 02:30", "%F %R", "Europe/Berlin")'), 'ambiguous')
  t.match(run('parse_timestamp!("2025-10-26 02:30", "%F %R", "Mars/Base")'), 'unable to parse timezone')
  t.match(run('parse_timestamp!("2025-10-26 02:30 CET", "%F %R %Z")'), 'it has no offset')
  t.match(run('parse_timestamp!("2025-10-26", "%F")'), 'does not match')
  t.match(run('parse_timestamp!("x", "%Q")'), 'invalid format')
  t.equal(run('parse_timestamp!(t\'2025-07-01T00:00:00Z\', "%F")'), '"2025-07-01T00:00:00Z"')
  t.equal(run('parse_timestamp!("1741064767", "%s")'), '"2025-03-04T05:06:07Z"')
})

t.test('every specifier of a format is written', async t => {
  const rows: readonly (readonly [format: string, expected: string])[] = [
    ['%Y %C %y %G %g', '2024 20 24 2025 25'],
    ['%m %d %e %j %-d %_m %0e', '12 30 30 365 30 12 30'],
    ['%a %A %b %h %B', 'Mon Monday Dec Dec December'],
    ['%w %u %U %W %V', '1 1 52 53 01'],
    ['%H %k %I %l %M %S %p %P', '04 " 4" 04 " 4" 05 06 AM am'],
    ['%f %.f %.3f %3f %.6f %6f %9f', '007800000 .007800 .007 007 .007800 007800 007800000'],
    ['%z %:z %::z %Z', '+0000 +00:00 +00:00:00 UTC'],
    ['%D %x %F %R %T %X %r', '12/30/24 12/30/24 2024-12-30 04:05 04:05:06 04:05:06 04:05:06 AM'],
    ['%c|%v|%s|%%|%+', 'Mon Dec 30 04:05:06 2024|30-Dec-2024|1735531506|%|2024-12-30T04:05:06.007800+00:00']
  ]
  for (const [format, expected] of rows)
    t.equal(
      run(`format_timestamp!(t'2024-12-30T04:05:06.0078Z', "${format}")`),
      JSON.stringify(expected.replaceAll('"', '')),
      format
    )
})

t.test('zones have names, or at least offsets', async t => {
  const at = (zone: string) => run(`format_timestamp!(t'2025-01-01T00:00:00Z', "%H:%M %Z %z", "${zone}")`)
  t.equal(at('America/New_York'), '"19:00 EST -0500"')
  t.equal(at('Asia/Kathmandu'), '"05:45 +0545 +0545"')
  t.equal(at('+02:00'), '"02:00 +02:00 +0200"')
})

t.test('invalid formats are refused', async t => {
  for (const format of ['%Q', '%-A', '%', '%#z'])
    t.match(run(`format_timestamp!(now(), "${format}")`), 'invalid format', format)
})
