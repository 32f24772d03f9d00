import t from 'tap'
import { run } from './run.ts'

t.test('numbers without their sign keep their kind', async t => {
  t.equal(run('[abs(-1), abs(-1.5), abs(0)]'), '[1,1.5,0]')
  t.equal(run('abs(-9223372036854775807 - 1)'), '-9223372036854775808')
})

t.test('integers are written in any base', async t => {
  t.equal(
    run('[format_int!(255, 16), format_int!(-255, 2), format_int!(35, 36), format_int!(7)]'),
    '["ff","-11111111","z","7"]'
  )
  t.match(run('format_int!(1, 37)'), 'invalid base 37')
})

t.test('fractions are cut or filled, never rounded', async t => {
  t.equal(run('format_number(1.999, 2)'), '"1.99"')
  t.equal(run('format_number(5, 2)'), '"5.00"')
  t.equal(run('format_number(5.75, 0)'), '"5"')
  t.equal(run('format_number(-1234567, grouping_separator: ".")'), '"-1.234.567"')
  t.equal(run('format_number(123, grouping_separator: ",")'), '"123"')
  t.equal(run('format_number(1000000.5, grouping_separator: " ", decimal_separator: ",")'), '"1 000 000,5"')
  t.match(run('format_number(1, 9223372036854775807)'), 'longer than')
})

t.test('places have a distance and a bearing', async t => {
  t.equal(run('haversine(10.0, 10.0, 10.0, 10.0)'), '{"bearing":0.0,"distance":0.0}')
  t.equal(run('haversine(0.0, 0.0, 0.0, -1.0).bearing'), '270.0')
  t.equal(run('round(haversine(0.0, 0.0, 0.0, 180.0).distance)'), '20015.0')
  t.match(run('haversine(0.0, 0.0, 1.0, 1.0, "yards")'), 'error[E401]')
})

t.test('words and numbers of syslog belong together', async t => {
  t.equal(
    run('[to_syslog_facility!(15), to_syslog_facility!(16), to_syslog_facility!(23)]'),
    '["solaris-cron","local0","local7"]'
  )
  t.equal(run('[to_syslog_severity!("warn"), to_syslog_severity!("error"), to_syslog_severity!("debug")]'), '[4,3,7]')
  t.match(run('to_syslog_facility!(24)'), 'facility code 24 not valid')
  t.match(run('to_syslog_level!(-1)'), 'severity level code -1 not valid')
  t.match(run('to_syslog_severity!("constructor")'), 'syslog severity not valid: constructor')
})
