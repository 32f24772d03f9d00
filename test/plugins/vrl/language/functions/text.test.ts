// Edge cases of the functions on text.
import t from 'tap'
import { run as result } from './run.ts'

t.test('parts of paths', async t => {
  for (const [path, base, dir, parts] of [
    ['/usr/local/bin/', '"bin"', '"/usr/local"', '["/","usr","local","bin"]'],
    ['/', 'null', '"/"', '["/"]'],
    ['//a', '"a"', '"/"', '["/","a"]'],
    ['a//b/', '"b"', '"a"', '["a","b"]'],
    ['a/./b/.', '"b"', '"a"', '["a","b"]'],
    ['./a', '"a"', '"."', '[".","a"]'],
    ['a/..', 'null', '"a"', '["a",".."]'],
    ['..', 'null', '"."', '[".."]'],
    ['.', 'null', '"."', '["."]'],
    ['', 'null', '"."', '[]'],
    ['.bashrc', '".bashrc"', '"."', '[".bashrc"]'],
    ['/.hidden.', '".hidden."', '"/"', '["/",".hidden."]']
  ] as const) {
    t.equal(result(`basename!("${path}")`), base, `basename ${path}`)
    t.equal(result(`dirname!("${path}")`), dir, `dirname ${path}`)
    t.equal(result(`split_path("${path}")`), parts, `split_path ${path}`)
  }
})

t.test('words end where letters and digits change', async t => {
  t.equal(result('snakecase("XMLHttpRequest2Go")'), '"xml_http_request_2_go"')
  t.equal(result('snakecase("  a--b__c ")'), '"a_b_c"')
  t.equal(result('snakecase("")'), '""')
  t.equal(result('pascalcase("éTÉ été")'), '"ÉTéÉté"')
  t.equal(result('kebabcase("some_thing-else", original_case: "snake_case")'), '"some-thing-else"')
  t.equal(result('screamingsnakecase("someThing-else_x", original_case: "kebab-case")'), '"SOMETHING_ELSE_X"')
  t.equal(result('camelcase("SOME_THING", original_case: "SCREAMING_SNAKE")'), '"someThing"')
  t.match(result('camelcase("x", original_case: "no-case")'), /error\[E401\]/)
  t.match(result('snakecase("x", excluded_boundaries: ["no"])'), /error\[E403\]/)
  t.match(result('snakecase("x", excluded_boundaries: .a)'), /error\[E402\]/)
})

t.test('pieces of texts and arrays', async t => {
  t.equal(result('slice!("äb", 2)'), '"b"')
  t.equal(result('slice!("äb", 0, 1) == slice!("äb", 0, 1)'), 'true')
  t.equal(result('slice!("abc", 1, 99)'), '"bc"')
  t.equal(result('slice!("abc", 3)'), '""')
  t.equal(result('slice!("abc", -2, -1)'), '"b"')
  t.equal(result('slice!([1, 2, 3], 1, 2)'), '[2]')
  t.match(result('slice!("abc", -4)'), /"start" must be between "-3" and "3"/)
  t.match(result('slice!("abc", 2, 1)'), /"end" must be greater or equal to "start"/)
  t.match(result('slice!("abc", 1, -9)'), /"end" must be greater/)
  t.match(result('slice("abc", 1)'), /error\[E100\]/)
  t.equal(result('upcase(slice!("abc", 1))'), '"BC"', 'a slice of a text is a text')
})

t.test('places are counted in bytes', async t => {
  t.equal(result('find("äöü", "ü")'), '4')
  t.equal(result('find("äöü", r\'ü\', from: 1)'), '4')
  t.equal(result('find("a😀b", r\'b\')'), '5')
  t.equal(result('find("aaa", r\'^a\', from: 1)'), 'null')
  t.equal(result('find("abc", "", from: 3)'), '3')
  t.equal(result('find("abc", "a", from: 4)'), 'null')
  t.equal(result('find("abc", r\'a\', from: -1)'), 'null')
  t.equal(result('find("abc", r\'a\', from: 99)'), 'null')
})

t.test('sieve tells one character from several', async t => {
  const sieve = (text: string) => result(`sieve("${text}", r'[a-z0-9.]', replace_single: "X", replace_repeated: "<R>")`)
  t.equal(sieve('test123%456.فوائد.net.'), '"test123X456.<R>.net."')
  t.equal(sieve('😀a😀😀'), '"Xa<R>"')
  t.equal(sieve(''), '""')
  t.equal(sieve('%%'), '"<R>"')
})

t.test('terminals obey sequences that readers need not see', async t => {
  const strip = (text: string) => result('strip_ansi_escape_codes(string!(.t))', JSON.stringify({ t: text }))
  t.equal(strip('\u001b[38;5;12mblue\u001b[0m\tend\r\n'), '"blueend\\n"')
  t.equal(strip('a\u001b]8;;http://x\u001b\\link\u001b]8;;\u0007b'), '"alinkb"')
  t.equal(strip('a\u001b(Bb\u001b7c\u001bc'), '"abc"')
  t.equal(strip('a\u001b['), '"a"')
  t.equal(strip('a\u001b[1\nb'), '"a\\nb"')
  t.equal(strip('a\u001b[1\u001b[2mb'), '"ab"')
  t.equal(strip('a\u001b'), '"a"')
  t.equal(strip('é\u0085\u007fü'), '"éü"')
  t.equal(strip('plain'), '"plain"')
})

t.test('secrets disappear wherever they lie', async t => {
  const nested = 'redact({"a": ["x1", {"b1": "y22"}], "n": 11}, filters: [r\'\\d+\'])'
  t.equal(result(nested), '{"a":["x[REDACTED]",{"b1":"y[REDACTED]"}],"n":11}')
  t.equal(
    result('redact("a.b.c", filters: [{"type": "pattern", "patterns": [".", r\'c\']}])'),
    '"a[REDACTED]b[REDACTED][REDACTED]"'
  )
  t.equal(result('redact("$1", filters: [r\'(\\d)\'], redactor: {"type": "text", "replacement": "$1"})'), '"$$1"')
  t.equal(
    result(
      'redact("abc", filters: [r\'abc\'], redactor: {"type": "sha2", "variant": "SHA-256", "encoding": "base16"})'
    ),
    '"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"'
  )
  t.match(result('redact("abc", filters: [r\'abc\'], redactor: "sha3")'), /^"[A-Za-z0-9+/]{86}=="$/)
  const number = (text: string) => result(`redact("${text}", filters: ["us_social_security_number"])`)
  for (const secret of ['123-45-6789', '001-01-0001', '665-10-1000', '899-99-9999'])
    t.equal(number(secret), '"[REDACTED]"', secret)
  for (const open of ['666-45-6789', '000-45-6789', '123-00-6789', '123-45-0000', '900-45-6789'])
    t.equal(number(open), `"${open}"`, open)
  for (const filters of [
    '["x"]',
    '[1]',
    '[{"type": "pattern"}]',
    '[{"type": 1}]',
    '["pattern"]',
    '[{"type": "pattern", "patterns": [1]}]'
  ])
    t.match(result(`redact("", filters: ${filters})`), /error\[E403\]/, filters)
  for (const redactor of [
    '"x"',
    '{"type": "text"}',
    '{"type": "sha2", "variant": "MD5"}',
    '{"type": "sha3", "encoding": "x"}'
  ])
    t.match(result(`redact("", filters: [], redactor: ${redactor})`), /error\[E403\]/, redactor)
})

t.test('flows have one identity in both directions', async t => {
  const id = (args: string) => result(`community_id!(${args})`)
  const tcp = '"1:LQU9qZlK+B5F3KDmev6m5PMibrg="'
  t.equal(id('"66.35.250.204", "128.232.110.120", 6, 80, 34855'), tcp)
  t.equal(id('"128.232.110.120", "66.35.250.204", 6, 34855, 80, 1'), '"1:3V71V58M3Ksw/yuFALMcW0LAHvc="')
  t.equal(id('"192.168.0.89", "192.168.0.1", 1, 8, 0'), '"1:X0snYXpgwiv9TZtqg64sgzUn6Dk="')
  t.equal(
    id('"fe80::200:86ff:fe05:80da", "fe80::260:97ff:fe07:69ea", 58, 135, 0'),
    id('"fe80::260:97ff:fe07:69ea", "fe80::200:86ff:fe05:80da", 58, 136, 0')
  )
  t.equal(id('"::ffff:1.2.3.4", "::1", 17, 1, 2'), id('"::1", "0:0:0:0:0:ffff:102:304", 17, 2, 1'))
  t.match(id('"10.1.2.3", "10.1.2.4", 47'), /^"1:/)
  t.match(id('"10.1.2.3", "::1", 6, 1, 2'), /same version/)
  t.match(id('"10.1.2", "::1", 6, 1, 2'), /source_ip is no IP address/)
  t.match(id('"::1", "::1", 6, 1, 65536'), /destination_port must be between 0 and 65535/)
  t.match(id('"::1", "::1", 256'), /protocol must be between 0 and 255/)
  t.match(id('"::1", "::1", 6, 1, 2, seed: -1'), /seed must be between 0 and 65535/)
})

t.test('further functions on texts', async t => {
  t.equal(result('contains_all("abc", [])'), 'true')
  t.match(result('contains_all("abc", [1])'), /error\[E/)
  t.match(result('contains_all!("abc", ["a", .x])'), /expected string, got null/)
  t.match(result('match_any("a", ["a"])'), /error\[E403\]/)
  t.match(result('match_any("a", .x)'), /error\[E/)
  t.equal(result('shannon_entropy("")'), '0.0')
  t.equal(result('shannon_entropy("é", segmentation: "grapheme")'), '0.0')
  t.equal(result('shannon_entropy("é")'), '1.0')
  t.equal(result('parse_float!("-inf") < 0.0'), 'true')
})
