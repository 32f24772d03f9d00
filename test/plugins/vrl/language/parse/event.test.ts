// Functions that parse events and logs of services: CEF, glog, klog, AWS, grok.
import t from 'tap'
import { run, table } from './table.ts'

const head = 'CEF:0|a|b|1|2|n|5|'

table('events of CEF have values with blanks, escapes and quotes', 'del(parse_cef!(.t).msg)', [
  [`${head}msg=two words x=1`, '"two words"'],
  [`${head}msg=a \\= b\\\\c\\n x=1`, '"a = b\\\\c\\n"'],
  [`${head}msg="quoted" x=`, '"quoted"'],
  [`${head}msg=http://a/?b=c`, /equals sign that is not escaped/],
  [`${head}`, 'null'],
  ['CEF:0|a|b', /the header ends before/],
  ['CEF:x|a|b|1|2|n|5|', /version is not a number/],
  [`${head}stray msg=1`, /Could not parse whole line/]
])

t.test('lenient CEF has equals signs in values', async t => {
  const event = JSON.stringify({ t: `${head}msg=http://a/?b=c&d=e x=1` })
  t.equal(run('parse_cef!(.t, strict: false).msg', event), '"http://a/?b=c&d=e"')
})

t.test('CEF may be read leniently and with its labels', async t => {
  const event = JSON.stringify({ t: `${head}stray cs1=7 cs1Label=queue cs2=8 cs3Label=x` })
  t.equal(
    run('e = parse_cef!(.t, true, false); [e.queue, e.cs1, e.cs1Label, e.cs2, e.cs3Label]', event),
    '["7",null,null,"8","x"]'
  )
})

table('lines of glog have a time and a place', 'parse_glog!(.t)', [
  [
    'E20251231 23:59:59.5 1 a.cc:7] m\nn ',
    '{"file":"a.cc","id":1,"level":"error","line":7,"message":"m\\nn","timestamp":"2025-12-31T23:59:59.500Z"}'
  ],
  ['X20251231 23:59:59.5 1 a.cc:7] m', /unrecognized log level "X"/],
  ['I20251331 23:59:59.5 1 a.cc:7] m', /failed parsing glog timestamp/]
])

table('a flow log has the fields of its format', 'parse_aws_vpc_flow_log!(.t, "srcport az_id")', [
  ['80 apse2-az3', '{"az_id":"apse2-az3","srcport":80}'],
  ['80', /the format has 2 fields and the record 1/],
  ['x y', /failed parsing srcport/]
])

table(
  'a flow log has the fields of later versions',
  'parse_aws_vpc_flow_log!(.t, "ecs_cluster_name ecs_task_id reject_reason resource_id encryption_status")',
  [
    [
      'shop 7af BPA nat-1 2',
      '{"ecs_cluster_name":"shop","ecs_task_id":"7af","encryption_status":2,"reject_reason":"BPA","resource_id":"nat-1"}'
    ],
    [
      '- - - - -',
      '{"ecs_cluster_name":null,"ecs_task_id":null,"encryption_status":null,"reject_reason":null,"resource_id":null}'
    ],
    ['- - - - x', /failed parsing encryption_status/]
  ]
)

const alb =
  'h2 2025-03-04T05:06:07Z app/lb/1 10.1.2.3:80 10.0.0.1:81 0.5 -1 0.000 200 - 34 366 "- http://a:80- -" "c \\"x\\"" E T arn:1 "R" "d" "c" 0 2025-03-04T05:06:06Z "forward" "-" "-" "10.0.0.1:80 10.0.0.2:80" "200" "-" "-"'

table('a line of a load balancer is read to its end', 'parse_aws_alb_log!(.t)', [
  [
    alb,
    /"request_method":null,"request_processing_time":0.5,"request_protocol":null,"request_url":"http:\/\/a:80-".*"target_port_list":\["10.0.0.1:80","10.0.0.2:80"\],"target_processing_time":-1.0/
  ],
  [`${alb} TID_1`, /"traceability_id":"TID_1"/],
  [`${alb} TID_1 "x"`, /Log should be fully consumed/],
  ['h2 a', /failed to parse "elb"/]
])

t.test('a line of a load balancer may go on', async t => {
  t.match(run('parse_aws_alb_log!(.t, strict_mode: false)', JSON.stringify({ t: `${alb} TID_1 "x"` })), '"TID_1"')
})

table('messages of subscriptions must be whole', 'parse_aws_cloudwatch_log_subscription_message!(.t)', [
  ['{}', /logEvents must be an array/],
  ['{"logEvents":[],"subscriptionFilters":[]}', /owner must be a text/],
  ['{', /unable to parse json/]
])

function grok(pattern: string, text: string): string {
  return run(`parse_grok!(.t, ${JSON.stringify(pattern).replaceAll('{', '\\{')})`, JSON.stringify({ t: text }))
}

t.test('patterns of grok match what they are named after', async t => {
  const rows: readonly (readonly [name: string, matching: readonly string[]])[] = [
    ['IP', ['10.1.2.3', '2001:db8::1', '::', '::1', '::ffff:10.1.2.3', 'fe80::1%eth0', '1:2:3:4:5:6:7:8']],
    ['NUMBER', ['1', '-1.5', '.5']],
    ['UUID', ['6c1f3c2e-1b7a-4f4e-9a70-0d5b6a3f9f10']],
    ['MAC', ['00:1a:2B:3c:4d:5e', '001a.2b3c.4d5e', '00-1a-2b-3c-4d-5e']],
    ['TIMESTAMP_ISO8601', ['2025-03-04T05:06:07.123Z', '2025-03-04 05:06', '2025-03-04T05:06:07+0100']],
    ['HTTPDATE', ['04/Mar/2025:05:06:07 +0000']],
    ['SYSLOGTIMESTAMP', ['Mar  4 05:06:07']],
    ['DATESTAMP', ['03/04/2025 05:06:07', '31.12.2025-05:06:07']],
    ['URI', ['https://ann:x@example.com:8080/a/b?c=d&e']],
    ['PATH', ['/var/log/x.log', 'C:\\Windows\\x']],
    ['QUOTEDSTRING', ['"a \\" b"', "'x'"]],
    ['EMAILADDRESS', ['ann.b@example.com']],
    ['HOSTPORT', ['example.com:80']],
    ['LOGLEVEL', ['WARN', 'error', 'INFO']],
    ['JAVACLASS', ['org.example.Main$Inner']],
    ['PROG', ['a\\b-c^d']],
    ['HAPROXYDATE', ['04/Mar/2025:05:06:07.123']]
  ]
  for (const [name, texts] of rows)
    for (const text of texts) t.equal(grok(`^%{${name}:x}$`, text), JSON.stringify({ x: text }), `${name} ${text}`)
})

t.test('an address is found whole, and the time of day is none', async t => {
  t.equal(grok('%{IP:x}', 'from ::ffff:10.1.2.3, to'), '{"x":"::ffff:10.1.2.3"}')
  t.equal(grok('%{IP:x}', '05:06:07 2001:db8::1'), '{"x":"2001:db8::1"}')
  t.equal(grok('%{IP:x}', '[1:2:3:4:5:6:10.1.2.3]'), '{"x":"1:2:3:4:5:6:10.1.2.3"}')
})

t.test('grok knows whole lines', async t => {
  t.equal(
    grok(
      '%{COMBINEDAPACHELOG}',
      '10.1.2.3 - ann [04/Mar/2025:05:06:07 +0000] "GET /a HTTP/1.1" 200 5 "http://x" "curl"'
    ),
    '{"agent":"\\"curl\\"","auth":"ann","bytes":"5","clientip":"10.1.2.3","httpversion":"1.1","ident":"-","referrer":"\\"http://x\\"","request":"/a","response":"200","timestamp":"04/Mar/2025:05:06:07 +0000","verb":"GET"}'
  )
  t.equal(
    grok('%{SYSLOGLINE}', 'Mar  4 05:06:07 web1 cron[12]: done'),
    '{"logsource":"web1","message":"done","pid":"12","program":"cron","timestamp":"Mar  4 05:06:07"}'
  )
})

t.test('every pattern of grok compiles', async t => {
  const { grokPatterns } = await import('../../../../../plugins/vrl/language/functions/parse/grok-patterns.ts')
  const { compileGrok } = await import('../../../../../plugins/vrl/language/functions/parse/grok.ts')
  for (const name of Object.keys(grokPatterns)) t.ok(compileGrok(`%{${name}}`), name)
})

t.test('grok takes definitions, plain groups and strange aliases', async t => {
  t.equal(grok('%{X:a=[a-c]+}-%{X:b}', 'abc-cab'), '{"a":"abc","b":"cab"}')
  t.equal(grok('(?<a>\\d+) %{WORD:b.c}', '12 x'), '{"a":"12","b.c":"x"}')
  t.match(grok('%{A=%{B}}%{B=%{A}}', 'x'), 'E403')
  t.match(grok('(?<=x)%{INT:a}', 'x'), 'E403')
})
