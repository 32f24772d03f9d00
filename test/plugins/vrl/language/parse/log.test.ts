// Functions that parse lines of web servers and syslog.
import t from 'tap'
import { run, table } from './table.ts'

table('dashes of an access line make no field', 'parse_common_log!(.t)', [
  ['- - - - - - -', '{}'],
  ['10.1.2.3 - - [-] "-" 304 -', '{"host":"10.1.2.3","status":304}'],
  ['10.1.2.3 - - - "\\x16\\x03" 400 0', /"message":"\\\\x16\\\\x03","size":0/],
  ['10.1.2.3 - - [yesterday] "-" 304 -', /Invalid timestamp "yesterday"/],
  ['10.1.2.3 - - - "GET /a b HTTP/1.1" 200 1', /"method":"GET","path":"\/a b","protocol":"HTTP\/1.1"/]
])

table('the combined format has a referrer and an agent', 'parse_apache_log!(.t, "combined")', [
  [
    '10.1.2.3 - ann [04/Mar/2025:06:06:07 +0100] "GET / HTTP/1.1" 200 5 "-" "curl/8.1"',
    '{"agent":"curl/8.1","host":"10.1.2.3","message":"GET / HTTP/1.1","method":"GET","path":"/","protocol":"HTTP/1.1","size":5,"status":200,"timestamp":"2025-03-04T05:06:07Z","user":"ann"}'
  ],
  ['10.1.2.3 - - - "-" 200 5', /failed parsing common log line/]
])

table('error lines have a client, or a text before it', 'parse_apache_log!(.t, "error", "%a %b %d %T%.f %Y")', [
  [
    '[Tue Mar 04 05:06:07.5 2025] [proxy:error] [pid 10:tid 20] (70007)Timeout: [client 10.1.2.3:4] AH01: failed',
    '{"client":"10.1.2.3","message1":"(70007)Timeout:","message2":"AH01: failed","module":"proxy","pid":10,"port":4,"severity":"error","thread":"20","timestamp":"2025-03-04T05:06:07.500Z"}'
  ],
  [
    '[Tue Mar 04 05:06:07.5 2025] [core:notice] [pid 10] started',
    '{"message":"started","module":"core","pid":10,"severity":"notice","timestamp":"2025-03-04T05:06:07.500Z"}'
  ]
])

table('the main format has who it was forwarded for', 'parse_nginx_log!(.t, "main")', [
  [
    '10.1.2.3 - ann [04/Mar/2025:05:06:07 +0000] "GET / HTTP/1.1" 200 5 "-" "curl" "1.2.3.4, 10.0.0.1"',
    /"http_user_agent":"curl","http_x_forwarded_for":"1.2.3.4, 10.0.0.1","remote_addr":"10.1.2.3","remote_user":"ann"/
  ]
])

table('the ingress format has all about the upstream', 'parse_nginx_log!(.t, "ingress_upstreaminfo")', [
  [
    '0.0.0.0 - - [04/Mar/2025:05:06:07 +0000] "GET / HTTP/2.0" 200 12 "-" "curl" 46 0.050 [a-90] [] 10.0.0.1:90 19 0.049 200 75f',
    '{"body_bytes_size":12,"http_user_agent":"curl","proxy_upstream_name":"a-90","remote_addr":"0.0.0.0","req_id":"75f","request":"GET / HTTP/2.0","request_length":46,"request_time":0.05,"status":200,"timestamp":"2025-03-04T05:06:07Z","upstream_addr":"10.0.0.1:90","upstream_response_length":19,"upstream_response_time":0.049,"upstream_status":200}'
  ],
  ['hello', /failed parsing log line/]
])

table('errors of limits have an excess and a zone', 'parse_nginx_log!(.t, "error")', [
  [
    '2025/03/04 05:06:07 [error] 3#4: *5 limiting requests, excess: 0.416 by zone "z", client: 10.1.2.3, server: , request: "GET / HTTP/1.1", upstream: "http://u", host: "h", referrer: "r"',
    '{"cid":5,"client":"10.1.2.3","excess":0.416,"host":"h","message":"limiting requests","pid":3,"referer":"r","request":"GET / HTTP/1.1","server":"","severity":"error","tid":4,"timestamp":"2025-03-04T05:06:07Z","upstream":"http://u","zone":"z"}'
  ],
  [
    '2025/03/04 05:06:07 [notice] 1#1: signal 3 received, shutting down',
    '{"message":"signal 3 received, shutting down","pid":1,"severity":"notice","tid":1,"timestamp":"2025-03-04T05:06:07Z"}'
  ]
])

t.test('the format is known to the compiler', async t => {
  t.match(run('parse_nginx_log!("x", "apache")'), 'E401')
  t.match(run('parse_nginx_log!("x", .f)'), 'E402')
})

table('messages of RFC 5424 have fields and structured data', 'parse_syslog!(.t)', [
  ['<0>1 2020-03-13T20:45:38.119Z a a 0 a [] baz', /"message":"baz"/],
  ['<165>1 - - - - - - \ufeffhi', '{"facility":"local4","message":"hi","severity":"notice","version":1}'],
  [
    '<13>1 2025-03-04T05:06:07+01:00 h app x-1 - [a@1 k= "v\\"w\\]" l="\\n"][b c="d"] m',
    '{"a@1":{"k":"v\\"w]","l":"\\\\n"},"appname":"app","b":{"c":"d"},"facility":"user","hostname":"h","message":"m","procid":"x-1","severity":"notice","timestamp":"2025-03-04T04:06:07Z","version":1}'
  ],
  ['<13>1 - - - - - [broken m', /"message":"\[broken m"/],
  ['<192>1 - - - - - - m', /unable to parse input/],
  ['123 <13>1 - - - - - - m', /"message":"m"/]
])

const year = new Date().getUTCFullYear()
table('older messages are read as they come', 'parse_syslog!(.t)', [
  [
    `<133>Jan 13 16:33:35 haproxy[73411]: Proxy started.`,
    `{"appname":"haproxy","facility":"local0","message":"Proxy started.","procid":73411,"severity":"notice","timestamp":"${year}-01-13T16:33:35Z"}`
  ],
  [
    `Jan  3 06:03:05 web1 cron: done: all`,
    `{"appname":"cron","hostname":"web1","message":"done: all","timestamp":"${year}-01-03T06:03:05Z"}`
  ],
  [
    `<13>Jan 13 2021 16:33:35.25 web1 some text [a] b`,
    `{"facility":"user","hostname":"web1","message":"some text [a] b","severity":"notice","timestamp":"2021-01-13T16:33:35.250Z"}`
  ],
  [
    `<13>2021-01-13T16:33:35.25+01:00 web1 app[x] [id k="v"] text`,
    `{"appname":"app","facility":"user","hostname":"web1","id":{"k":"v"},"message":"text","procid":"x","severity":"notice","timestamp":"2021-01-13T15:33:35.250Z"}`
  ],
  ['<13>hello', /unable to parse input/],
  ['Foo 13 16:33:35 a b', /unable to parse input/]
])

t.test('the compiler knows that a message is a text', async t => {
  t.equal(run('upcase(parse_syslog!("<13>1 - - - - - - m").message)'), '"M"')
})
