// Parsers answer or fail for any text, in time linear in its length.
import fc from 'fast-check'
import t from 'tap'
import { compile, type Value } from '../../../../../plugins/vrl/language/index.ts'
import { processorTime } from '../../../../time.ts'

const calls = [
  'parse_apache_log!(.t, "common")',
  'parse_apache_log!(.t, "combined")',
  'parse_apache_log!(.t, "error")',
  'parse_aws_alb_log!(.t)',
  'parse_aws_cloudwatch_log_subscription_message!(.t)',
  'parse_aws_vpc_flow_log!(.t)',
  'parse_bytes!(.t, "B")',
  'parse_cbor!(.t)',
  'parse_cef!(.t)',
  'parse_csv!(.t)',
  'parse_duration!(.t, "s")',
  'parse_etld!(.t)',
  'parse_glog!(.t)',
  'parse_grok!(.t, "%\\{COMBINEDAPACHELOG}")',
  'parse_groks!(.t, ["%\\{data::keyvalue}"])',
  'parse_groks!(.t, ["%\\{data:a:array} %\\{data:b:rubyhash}", "%\\{data:c:xml}"])',
  'parse_influxdb!(.t)',
  'parse_int!(.t)',
  'parse_key_value!(.t)',
  'parse_key_value!(.t, ":", ",")',
  'parse_klog!(.t)',
  'parse_logfmt!(.t)',
  'parse_nginx_log!(.t, "combined")',
  'parse_nginx_log!(.t, "error")',
  'parse_query_string!(.t)',
  'parse_ruby_hash!(.t)',
  'parse_syslog!(.t)',
  'parse_timestamp!(.t, "%+")',
  'parse_tokens!(.t)',
  'parse_url!(.t)',
  'parse_user_agent!(.t)',
  'parse_user_agent!(.t, "enriched")',
  'parse_xml!(.t)',
  'parse_yaml!(.t)',
  'is_json!(.t)',
  'format_timestamp!(now(), .t)'
]
const programs = calls.map(call => ({ call, program: compile(call).program }))

const alphabet = [
  ...`<>[]{}()"'\\=:;,|-+.%&#!/?@ \t\n0123456789abTZµé`,
  'CEF:0|',
  '=> ',
  '<34>1 ',
  '<a b="',
  '</a>',
  '- '
]

t.test('no text makes a parser throw anything but its own failure', async t => {
  const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 40 }).map(parts => parts.join(''))
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array): Value => array)
  for (const { call, program } of programs) {
    t.ok(program, call)
    fc.assert(
      fc.property(fc.oneof(texts, fc.string(), bytes), text => {
        program?.run(new Map([['t', text]]))
      }),
      { numRuns: 150, seed: 7 }
    )
  }
})

t.test('long texts of one kind take no time beyond their length', async t => {
  const parts = [
    '"',
    '\\',
    '[',
    '<a>',
    '<34>1 - ',
    'a=',
    'a="\\"',
    ' ',
    ',',
    '-',
    '%20',
    '1h',
    '- ',
    '{"a":',
    '(',
    '&#1',
    '10.',
    ': ',
    '{a: '
  ]
  for (const { call, program } of programs) {
    const started = processorTime()
    for (const part of parts) program?.run(new Map([['t', part.repeat(10_000)]]))
    const took = processorTime() - started
    t.ok(took < 10_000, `${call} took ${Math.round(took)} ms`)
    if (took > 1500) t.comment(`${call} took ${Math.round(took)} ms`)
  }
})
