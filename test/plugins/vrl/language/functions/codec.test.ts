import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { compressLz4 } from '../../../../../core/wire/lz4.ts'
import { run } from './run.ts'

t.test('base 64 is strict but for its padding', async t => {
  for (const [text, expected] of [
    ['YQ', '"a"'],
    ['YQ====', '"a"'],
    ['', '""'],
    ['YR', /unable to decode/],
    ['Y', /unable to decode/],
    ['Y Q=', /unable to decode/],
    ['-_', /unable to decode/]
  ] as const)
    t.match(run(`decode_base64!("${text}")`), expected, text)
  t.equal(run('encode_base16(decode_base64!("-_8", charset: "url_safe"))'), '"fbff"')
  t.match(run('encode_base64("a", charset: "mine")'), 'unknown charset "mine"')
  t.equal(run('encode_base64("ab", padding: true, charset: "url_safe")'), '"YWI="')
})

t.test('bytes that are no text survive codecs', async t => {
  const bytes = 'b = decode_base16!("00ff80fe")\n'
  for (const name of ['gzip', 'zlib', 'zstd'])
    t.equal(run(`${bytes}decode_${name}!(encode_${name}(b)) == b`), 'true', name)
  t.equal(run(`${bytes}decode_snappy!(encode_snappy!(b)) == b`), 'true')
  t.equal(run(`${bytes}decode_lz4!(encode_lz4!(b, false)) == b`), 'true')
  t.equal(run(`${bytes}encode_base16(b)`), '"00ff80fe"')
})

t.test('small texts that hide long ones meet the limit of output', async t => {
  const limits = { output: 10_000 }
  const long = JSON.stringify({ s: 'x'.repeat(100_000) })
  for (const name of ['gzip', 'zlib', 'zstd', 'snappy', 'lz4']) {
    const packed = run(`encode_base64(encode_${name}!(string!(.s)))`, long)
    const size = name === 'lz4' ? ', prepended_size: true' : ''
    t.match(
      run(`decode_${name}!(decode_base64!(.p)${size})`, `{"p":${packed}}`, limits),
      'longer than 10000 bytes',
      name
    )
  }
})

t.test('damaged texts fail as errors of the program', async t => {
  for (const name of ['gzip', 'zlib', 'zstd', 'snappy', 'lz4']) {
    const packed = JSON.parse(run(`encode_base64(encode_${name}!("weir" * 50))`)) as string
    const bytes = Buffer.from(packed, 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const broken = Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 0x55 : byte))).toString('base64')
      const short = bytes.subarray(0, at).toString('base64')
      for (const text of [broken, short]) {
        const size = name === 'lz4' ? ', prepended_size: true' : ''
        const found = run(`decode_${name}(decode_base64!(.p)${size}) ?? "failed"`, JSON.stringify({ p: text }))
        t.match(found, /^"|^the result is longer/, `${name} at ${at}`)
      }
    }
  }
})

t.test('compressed texts of several parts are read to the end, and nothing may follow it', async t => {
  const a = Buffer.from('weir '.repeat(50))
  const b = Buffer.from('dam '.repeat(70))
  const skippable = Buffer.from('5f2a4d180400000061626364', 'hex')
  const series = {
    gzip: Buffer.concat([gzipSync(a), gzipSync(b)]),
    zstd: Buffer.concat([skippable, zstdCompressSync(a), skippable, zstdCompressSync(b)]),
    lz4: Buffer.concat([skippable, compressLz4(a), compressLz4(b), skippable])
  }
  const decode = (name: string, packed: Buffer) =>
    run(`decode_${name}(decode_base64!(.p)) ?? "refused"`, JSON.stringify({ p: packed.toString('base64') }))
  for (const [name, packed] of Object.entries(series)) t.equal(decode(name, packed), JSON.stringify(`${a}${b}`), name)
  for (const [name, packed] of Object.entries({ ...series, zlib: deflateSync(a) })) {
    for (const junk of ['\0\0\0\0\0\0\0\0', 'behind'])
      t.equal(decode(name, Buffer.concat([packed, Buffer.from(junk)])), '"refused"', name)
  }
})

t.test('a level of compression that is known makes the call infallible', async t => {
  t.match(run('length(encode_gzip("a", 9)) > 0'), 'true')
  t.match(run('encode_gzip("a", 11)'), 'error[E100]')
  t.match(run('encode_zlib!("a", 11)'), 'compression level must be from 0 to 10')
})

t.test('frames of LZ4 are read', async t => {
  const frame = Buffer.from('04224d186040820000000000', 'hex')
  const stored = Buffer.concat([
    frame.subarray(0, 7),
    Buffer.from('04000080', 'hex'),
    Buffer.from('weir'),
    Buffer.alloc(4)
  ])
  const block = Buffer.from('60616263646566', 'hex')
  const copying = Buffer.from('1f610100ff00506161616161', 'hex')
  const packed = Buffer.concat([
    frame.subarray(0, 7),
    ...[block, copying].flatMap(bytes => [Buffer.from([bytes.length, 0, 0, 0]), bytes]),
    Buffer.alloc(4)
  ])
  const read = (bytes: Buffer) =>
    run('decode_lz4!(decode_base64!(.p))', JSON.stringify({ p: bytes.toString('base64') }))
  t.equal(read(stored), '"weir"')
  t.equal(read(packed), `"abcdef${'a'.repeat(1 + 19 + 255 + 5)}"`)
  t.match(read(packed.subarray(0, 20)), 'not complete')
  t.match(read(Buffer.from('04224d1801', 'hex')), 'lz4 frame decoder')
})

t.test('percent signs escape by set', async t => {
  const all = '{"s":"a /?#[]@!$&\'()*+,;=%~"}'
  const encode = (set: string) => run(`encode_percent(string!(.s), ascii_set: "${set}")`, all)
  t.equal(encode('CONTROLS'), '"a /?#[]@!$&\'()*+,;=%~"')
  t.equal(encode('QUERY'), '"a%20/?%23[]@!$&\'()*+,;=%~"')
  t.equal(encode('WWW_FORM_URLENCODED'), '"a%20%2F%3F%23%5B%5D%40%21%24%26%27%28%29*%2B%2C%3B%3D%25%7E"')
  t.match(encode('MINE'), 'error[E401]')
  t.equal(run('decode_percent("%f0%9f%98%80%zz%")'), '"😀%zz%"')
})

t.test('character sets go there and back', async t => {
  const texts = {
    'euc-kr': 'a안녕',
    'euc-jp': 'aこんにちは',
    'iso-2022-jp': 'aこbんc',
    shift_jis: 'aｱ水',
    gb2312: 'a你好',
    gb18030: 'a😀ñж你',
    big5: 'a漢字',
    'koi8-r': 'aж',
    'windows-1252': 'a€ß',
    'utf-8': 'a😀'
  }
  for (const [name, text] of Object.entries(texts))
    t.equal(run(`decode_charset!(encode_charset!("${text}", "${name}"), "${name}")`), JSON.stringify(text), name)
  t.equal(run('encode_base16(encode_charset!("€", "cp1252"))'), '"80"')
  t.match(run('encode_charset!("a", .c)', '{"c":"mine"}'), 'Unknown charset: mine')
  t.match(run('encode_charset!("漢" * 300, "latin1")', '{}', { output: 1000 }), 'longer than 1000 bytes')
})

t.test('domain names are validated unless that is not wanted', async t => {
  t.equal(run('encode_punycode!("ÜBER.example")'), '"xn--ber-goa.example"')
  t.equal(run('encode_punycode!("1.2")'), '"1.2"')
  t.equal(run('decode_punycode!(encode_punycode!("日本語。jp"))'), '"日本語.jp"')
  t.match(run('decode_punycode!("xn--99999999")'), 'unable to decode punycode')
  t.match(run('decode_punycode!("xn--99999999", validate: false)'), 'unable to decode punycode')
  t.equal(run('encode_punycode!("Ü Ü", validate: false)'), '"xn-- -dhab"')
  t.match(run('encode_punycode!(.s)', JSON.stringify({ s: 'a'.repeat(5000) })), 'at most 4096')
})

t.test('labels of Punycode come back, whatever they hold', async t => {
  for (const text of ['ü', 'aüb', '日本語', '😀a😀', 'ÿ\u0080', 'привет-мир', '\u{10ffff}x']) {
    const source = 'decode_punycode!(encode_punycode!(.s, validate: false), validate: false)'
    t.equal(run(source, JSON.stringify({ s: text })), JSON.stringify(text))
  }
})

t.test('encoded words are found in headers', async t => {
  t.equal(run('decode_mime_q!("what =? means ?= here")'), '"what =? means ?= here"')
  t.equal(run('decode_mime_q!("?b?d2Vpcg==")'), '"weir"')
  t.equal(run('decode_mime_q!("")'), '""')
  t.equal(run('decode_mime_q!("=?utf-8?Q?a=zz=3D_?= b")'), '"a=zz=  b"')
  t.match(run('decode_mime_q!("=?klingon?Q?a?=")'), 'Unable to decode \\"klingon\\" value'.replaceAll('\\', ''))
})

t.test('keys and values are quoted and flattened', async t => {
  t.equal(
    run('encode_key_value({"a": 1.0, "b": null, "c": "x\\\\y", "d": "n\\nl", "e": {}})'),
    '"a=1 b=null c=x\\\\\\\\y d=\\"n\\\\\\\\nl\\""'
  )
  t.equal(
    run('encode_logfmt({"yes": true, "no": false, "a b": "c=d", "q": "\\""})'),
    '"\\"a b\\"=\\"c=d\\" q=\\"\\\\\\"\\" yes"'
  )
  t.match(run('encode_logfmt({"a": 1}, ["a"])'), 'error[E100]')
  t.match(run('encode_logfmt!({"a": 1}, [1])'), '"fields_ordering" must be strings')
  t.equal(run('encode_logfmt!({"a": {"b": 1}, "c": 2}, ["x", "c", "a.b", "c"])'), '"c=2 a.b=1"')
})

t.test('rows of CSV are quoted where needed', async t => {
  t.equal(run('encode_csv!(["a\\nb", "", " c"])'), '"\\"a\\nb\\",, c"')
  t.equal(run('encode_csv!([""])'), '"\\"\\""')
  t.equal(run('encode_csv!([1.0, ["a", true]], delimiter: ";")'), '"1.0;a;true"')
  t.match(run('encode_csv!([1], delimiter: "é")'), 'delimiter must be a single character')
  t.match(run('encode_csv!([{}])'), 'unable to encode an object')
})

t.test('values that double with every line meet a limit', async t => {
  const doubling = `x = {"a": 1}\n${'x = {"a": x, "b": x}\n'.repeat(60)}`
  t.match(run(`${doubling}encode_logfmt(x)`, '{}', { time: 200 }), /ran longer|longer than/)
  t.match(run(`x = [1]\n${'x = [x, x]\n'.repeat(60)}encode_csv!(x)`, '{}', { time: 200 }), /ran longer|longer than/)
})

t.test('codecs that need files of the server are refused', async t => {
  t.match(run('encode_proto({}, "a.desc", "a.B")'), /error\[E105\].*[\s\S]*files/)
})
