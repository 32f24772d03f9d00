// Functions that parse parts of lines: pairs, tokens, fields, numbers, URLs.
import t from 'tap'
import { processorTime } from '../../../../time.ts'
import { run, table } from './table.ts'

table('pairs are read with blanks, quotes and repetitions', 'parse_key_value!(.t)', [
  ['a=1  b = 2', '{"a":"1","b":"2"}'],
  ['a= b=c', '{"a":"b=c"}'],
  ['a', '{"a":true}'],
  ['a=1 a a=2', '{"a":["1","2"]}'],
  ['a a=1', '{"a":"1"}'],
  ['a="x\\"y" b=\'q r\'', '{"a":"x\\"y","b":"q r"}'],
  ['a="x\\ty" b="l\\nm"', '{"a":"x\\\\ty","b":"l\\nm"}'],
  ['a="x"y b="open', '{"a":"\\"x\\"y","b":"\\"open"}'],
  ['"two words"=1', '{"two words":"1"}'],
  ['', /could not parse line/]
])

table('whitespace may be strict', 'parse_key_value!(.t, whitespace: "strict")', [
  ['a= b=c', '{"a":"","b":"c"}'],
  ['a=1 b=2', '{"a":"1","b":"2"}']
])

table('delimiters may be longer than a character', 'parse_key_value!(.t, "->", "||")', [
  ['a->1 || b -> 2||', '{"a":"1","b":"2"}'],
  ['a->"x || y"||c', '{"a":"x || y","c":true}']
])

t.test('a line of many quotes takes no longer than it is long', async t => {
  const started = processorTime()
  run('parse_key_value!(.t)', JSON.stringify({ t: '"\\" '.repeat(100_000) }))
  run('parse_key_value!(.t, "=", s\'\\\')', JSON.stringify({ t: '"\\'.repeat(100_000) }))
  run('parse_tokens!(.t)', JSON.stringify({ t: '" ['.repeat(100_000) }))
  t.ok(processorTime() - started < 2000)
})

table('tokens are words, quoted texts and bracketed ones', 'parse_tokens!(.t)', [
  ['a "b \\" c" [d \\] e] - "" []', '["a","b \\\\\\" c","d \\\\] e",null,null,null]'],
  ['a "b c', '["a","\\"b c"]'],
  [' a b', '[" a b"]'],
  ['a   b', '["a","b"]'],
  ['a[b]c', '["a","b","c"]'],
  ['', '[]']
])

table('only the first record of CSV counts', 'parse_csv!(.t)', [
  ['a,"b ""c""",\nd,e', '["a","b \\"c\\"",""]'],
  ['', '[]'],
  ['"x\ny",z', '["x\\ny","z"]']
])

t.test('the delimiter of CSV is one byte', async t => {
  t.match(run('parse_csv!("a", ";;")'), 'delimiter must be a single character')
  t.match(run('parse_csv!("a", "é")'), 'delimiter must be a single character')
})

table('an integer without a base goes by its prefix', 'parse_int!(.t)', [
  ['0', '0'],
  ['017', '15'],
  ['08', /invalid digit/],
  ['0b101', '5'],
  ['0o17', '15'],
  ['0xfF', '255'],
  ['+7', '7'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775808', /64 bits/],
  ['', /empty/],
  ['1_0', /invalid digit/]
])

t.test('the base of an integer is 2 to 36', async t => {
  t.equal(run('parse_int!("zz", 36)'), '1295')
  t.match(run('parse_int!("1", 1)'), 'between 2 and 36')
})

table('query strings keep repetitions', 'parse_query_string!(.t)', [
  ['?a=1&a=2&b', '{"a":["1","2"],"b":""}'],
  ['??a=1', '{"?a":"1"}'],
  ['a%20b=c+d&&', '{"a b":"c d"}'],
  ['', '{}']
])

table('a URL has parts that are null when absent', 'parse_url!(.t)', [
  [
    'https://Example.com:443/a b?x=1&x=2#',
    '{"fragment":"","host":"example.com","password":"","path":"/a%20b","port":null,"query":{"x":"2"},"scheme":"https","username":""}'
  ],
  [
    'mailto:ann@example.com',
    '{"fragment":null,"host":null,"password":"","path":"ann@example.com","port":null,"query":{},"scheme":"mailto","username":""}'
  ],
  ['example.com', /unable to parse url/]
])

table('durations add up exactly', 'parse_duration!(.t, "s")', [
  ['1.5h 2m3s', '5523.0'],
  ['.5ms', '0.0005'],
  ['100 µs', '0.0001'],
  ['2w', '1209600.0'],
  ['about 3s', '3.0'],
  ['', '0.0'],
  ['1S', /unknown duration unit/],
  ['1s later', /unable to parse duration: ' later'/]
])

t.test('the unit of a duration must be known', async t => {
  t.match(run('parse_duration!("1s", "y")'), 'E')
  t.match(run('parse_duration!("1s", .u)', '{"u":"y"}'), "unknown unit format: 'y'")
})

table('bytes go by powers of 1024 unless the base is 10', 'parse_bytes!(.t, unit: "B")', [
  ['1 GB', '1073741824.0'],
  ['1.5KiB', '1536.0'],
  ['7B', '7.0'],
  ['7', /unable to parse bytes/],
  ['7XB', /unknown unit format: 'XB'/]
])

t.test('powers of 1000 have no units of 1024', async t => {
  t.equal(run('parse_bytes!("1kB", unit: "B", base: "10")'), '1000.0')
  t.match(run('parse_bytes!("1KiB", unit: "B", base: "10")'), "unknown unit format: 'KiB'")
})
