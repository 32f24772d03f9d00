// Functions that parse whole documents: CBOR, XML, YAML, Ruby hashes, domains, user agents.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { requiredTexts } from '../../../../../core/index.ts'
import { agentRules, readSections } from '../../../../../plugins/vrl/language/functions/parse/agent-rules.ts'
import { compile } from '../../../../../plugins/vrl/language/index.ts'
import { run, table } from './table.ts'

/** A call on bytes, which programs cannot write. */
function cbor(hex: string): string {
  const { program } = compile('encode_json(parse_cbor!(.t))')
  const outcome = program!.run(new Map([['t', Buffer.from(hex, 'hex')]]))
  return outcome.ok ? String(outcome.value) : outcome.message
}

t.test('CBOR has all its kinds of values', async t => {
  const rows: readonly (readonly [hex: string, json: string])[] = [
    ['1bffffffffffffffff', '18446744073709552000.0'],
    ['3863', '-100'],
    ['f93e00', '1.5'],
    ['f90001', '5.960464477539063e-8'],
    ['fb3ff199999999999a', '1.1'],
    ['6161', '"a"'],
    ['7f61616162ff', '"ab"'],
    ['83f4f5f6', '[false,true,null]'],
    ['9f01ff', '[1]'],
    ['a2616101016162', '{"1":"b","a":1}'],
    ['bf6161f7ff', '{"a":null}'],
    ['c11a514b67b0', '1363896240']
  ]
  for (const [hex, json] of rows) t.equal(cbor(hex), json, hex)
})

t.test('broken CBOR is an error', async t => {
  for (const hex of ['', '18', '61', '9affffffff', 'ff', '1c', 'f97e00', '81'.repeat(200), '5f61ff'])
    t.match(cbor(hex), 'unable to parse cbor', hex.slice(0, 20))
})

table('XML keeps what it is made of', 'parse_xml!(.t)', [
  ['<a/>', '{"a":{}}'],
  ['<a>x</a>', '{"a":"x"}'],
  ['<a> x </a>', '{"a":" x "}'],
  ['<a><b>1</b> <b>-2.5</b></a>', '{"a":{"b":[1,-2.5]}}'],
  ['<a>x<b/>y</a>', '{"a":{"b":{},"text":["x","y"]}}'],
  ['<?xml version="1.0"?><!-- c --><a x="1&lt;2">&#65;&amp;<![CDATA[<z>]]></a>', '{"a":{"@x":"1<2","text":"A&<z>"}}'],
  ['<n:a xmlns:n="u"><n:b>null</n:b></n:a>', '{"a":{"b":null}}'],
  ['<a>true</a>', '{"a":true}'],
  ['<a>inf</a>', '{"a":"inf"}']
])

table('XML that is not well-formed is an error', 'parse_xml!(.t)', [
  ['', /must contain a root element at 1:0/],
  ['<a>', /unclosed tag: a at 1:3/],
  ['<a></b>', /unexpected close tag/],
  ['<a>&constructor;</a>', /undefined entity/],
  ['x<a/>', /text data outside of root node/],
  ['<a/><b/>', /only one root/],
  ['<a x=1/>', /unquoted attribute value/],
  ['<a x="1" x="2"/>', /duplicate attribute: x/],
  ['<a>&nbsp;</a>', /undefined entity/],
  ['<!DOCTYPE a><a/>', /not allowed/],
  ['<a>'.repeat(200), /nested deeper/]
])

t.test('XML is shaped as the call says', async t => {
  const call = (options: string) => run(`parse_xml!(s'<a b="c"> <d>1</d> <e>null</e></a>', ${options})`)
  t.equal(call('include_attr: false'), '{"a":{"d":1,"e":null}}')
  t.equal(call('attr_prefix: "-", parse_number: false, parse_null: false'), '{"a":{"-b":"c","d":"1","e":"null"}}')
  t.equal(call('always_use_text_key: true, text_key: "t"'), '{"a":{"@b":"c","d":{"t":1},"e":{"t":null}}}')
  t.equal(call('trim: false'), '{"a":{"@b":"c","d":1,"e":null,"text":[" "," "]}}')
})

table('YAML is one document of JSON values', 'parse_yaml!(.t)', [
  ['a: 1\nb: 1.0\nc: 0x1f\nd: "x"\ne:\n- true\n- ~', '{"a":1,"b":1.0,"c":31,"d":"x","e":[true,null]}'],
  ['a: &x [1]\nb: *x', '{"a":[1],"b":[1]}'],
  ['1: x\ntrue: y', '{"1":"x","true":"y"}'],
  ['9223372036854775808', '9223372036854776000.0'],
  ['', 'null'],
  ['a: 1\na: 2', /unable to parse yaml/],
  ['a: *x', /unable to parse yaml|null/],
  ['--- a\n--- b', /unable to parse yaml/],
  ['['.repeat(300), /nested deeper/],
  ['- '.repeat(300), /nested deeper/]
])

t.test('aliases of aliases do not explode', async t => {
  let text = 'a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n'
  for (let i = 1; i < 9; i++) text += `a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]\n`
  t.equal(run('parse_yaml!(.t).a8[9][9][9][9][9][9][9][9][9]', JSON.stringify({ t: text })), '"x"')
  t.match(run('parse_yaml!(.t)', JSON.stringify({ t: 'a: &a [*a]' })), 'stands for nothing before it')
})

table('Ruby hashes have symbols and nested values', 'parse_ruby_hash!(.t)', [
  ['{:a=>1, "b"=>:c, d: nil, "e": [1.5, {}], }', '{"a":1,"b":"c","d":null,"e":[1.5,{}]}'],
  ['{ "a\\"b" => "l\\nm", \'c\' => \'d\\\'e\' }', '{"a\\"b":"l\\nm","c":"d\'e"}'],
  ['{}', '{}'],
  ['{"a"=>1', /unable to parse ruby hash/],
  ['{"a"=>1} x', /expected the end/],
  ['{"a"=>'.repeat(200), /fewer than 128 levels/]
])

table('a domain has a public suffix', 'parse_etld!(.t, plus_parts: 10)', [
  ['a.b.example.co.uk', '{"etld":"co.uk","etld_plus":"a.b.example.co.uk","known_suffix":true}'],
  ['ann.github.io', '{"etld":"github.io","etld_plus":"ann.github.io","known_suffix":true}'],
  ['', /unable to determine eTLD/]
])

t.test('functions that would read the disk of the server are refused', async t => {
  t.match(run('parse_etld!("a.de", psl: "/etc/passwd")'), 'E403')
  t.match(run('parse_proto!("a", "b", "c")'), 'descriptor files')
})

table('lines of metrics have a gauge for every field', 'parse_influxdb!(.t)', [
  [
    '# note\na\\ b,c\\,d=e\\=f g=1u,h=t\n\nx y=-1.5e3 1',
    '[{"gauge":{"value":1.0},"kind":"absolute","name":"a b_g","tags":{"c,d":"e=f"},"timestamp":null},{"gauge":{"value":1.0},"kind":"absolute","name":"a b_h","tags":{"c,d":"e=f"},"timestamp":null},{"gauge":{"value":-1500.0},"kind":"absolute","name":"x_y","tags":null,"timestamp":"1970-01-01T00:00:00.000000001Z"}]'
  ],
  ['a', /expected a measurement/],
  ['a b=x', /Invalid floating point/],
  ['a b=1 x', /time is not an integer/]
])

t.test('a user agent nobody knows has nulls', async t => {
  t.equal(
    run('parse_user_agent("hello")'),
    '{"browser":{"family":null,"version":null},"device":{"category":null},"os":{"family":null,"version":null}}'
  )
})

// The examples of the language's own documentation.
t.test('the modes of a user agent tell what both sets of rules know', async t => {
  const agent = (text: string, mode: string) => run(`parse_user_agent("${text}", mode: "${mode}")`)
  t.equal(
    agent(
      'Opera/9.80 (J2ME/MIDP; Opera Mini/4.3.24214; iPhone; CPU iPhone OS 4_2_1 like Mac OS X; AppleWebKit/24.783; U; en) Presto/2.5.25 Version/10.54',
      'enriched'
    ),
    '{"browser":{"family":"Opera Mini","major":"4","minor":"3","patch":"24214","version":"10.54"},"device":{"brand":"Apple","category":"smartphone","family":"iPhone","model":"iPhone"},"os":{"family":"iOS","major":"4","minor":"2","patch":"1","patch_minor":null,"version":"4.2.1"}}'
  )
  t.equal(
    agent('w3m/0.3', 'enriched'),
    '{"browser":{"family":null,"major":null,"minor":null,"patch":null,"version":null},"device":{"brand":null,"category":null,"family":null,"model":null},"os":{"family":null,"major":null,"minor":null,"patch":null,"patch_minor":null,"version":null}}'
  )
  t.equal(
    agent('Mozilla/4.0 (compatible; MSIE 7.66; Windows NT 5.1; SV1; .NET CLR 1.1.4322)', 'reliable'),
    '{"browser":{"family":"Internet Explorer","version":"7.66"},"device":{"category":"pc"},"os":{"family":"Windows XP","version":"NT 5.1"}}'
  )
  t.equal(
    agent(
      'Mozilla Firefox 1.0.1 Mozilla/5.0 (X11; U; Linux i686; de-DE; rv:1.7.6) Gecko/20050223 Firefox/1.0.1',
      'fast'
    ),
    '{"browser":{"family":"Firefox","version":"1.0.1"},"device":{"category":"pc"},"os":{"family":"Linux","version":null}}'
  )
})

t.test('reliable asks the second set of rules for what the first does not know', async t => {
  const text =
    'Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.5) AppleWebKit/537.36 (KHTML, like Gecko) 85.0.4183.93/6.5 TV Safari/537.36'
  t.match(run(`parse_user_agent("${text}", "fast")`), '"os":{"family":null')
  t.match(run(`parse_user_agent("${text}", "reliable")`), /"family":"Safari".*"os":{"family":"Tizen","version":null}/)
})

t.test('the result of enriched has parts that others have not', async t => {
  t.equal(run('parse_user_agent("hello", "enriched").device.brand'), 'null')
  t.match(run('upcase(parse_user_agent("hello", "fast").device.brand)'), 'E110')
})

// From the specification of the rules: placeholders, expressions that ignore case, blanks cut off.
table('rules put groups of the match into what they tell', 'get!(parse_user_agent!(.t, "enriched"), ["device"])', [
  [
    'Mozilla/5.0 (Linux; U; Android 4.2.2; de-de; PEDI_PLUS_W Build/JDQ39) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Safari/534.30',
    '{"brand":"Odys","category":"smartphone","family":"Odys PEDI PLUS W","model":"PEDI PLUS W"}'
  ],
  ['CRAWLER', /"brand":"Spider"/]
])

t.test('the rules are read as YAML reads them', async t => {
  const text = readFileSync(fileURLToPath(import.meta.resolve('uap-core/regexes.yaml')), 'utf8')
  const plain = [...readSections(text)].map(([name, rules]) => [name, rules.map(rule => Object.fromEntries(rule))])
  t.same(Object.fromEntries(plain), parse(text))
})

t.test('a hostile user agent is read within milliseconds', async t => {
  const text = readFileSync(fileURLToPath(import.meta.resolve('uap-core/regexes.yaml')), 'utf8')
  const rules = [...readSections(text).values()].flat()
  const texts = rules.flatMap(rule => requiredTexts(rule.get('regex')!, rule.get('regex_flag'))[0] ?? [])
  const read = agentRules()
  // All that rules look for, and what begins many of them.
  const hostile = [...new Set(texts)].map((_, i, all) =>
    all
      .slice(i, i + 300)
      .join('; ')
      .slice(0, 2000)
  )
  const begins = ['; ', 'Android ', 'Mozilla/5.0 ', '; M1 ', 'Build;', 'Chrome/1.2.3.4 Mobile '].map(each =>
    each.repeat(1000).slice(0, 2000)
  )
  for (const each of begins) read(each)
  const before = process.threadCpuUsage().user
  const some = [...begins.map(each => `${each}.`), ...hostile.slice(0, 50)]
  for (const each of some) read(each)
  const each = (process.threadCpuUsage().user - before) / 1000 / some.length
  t.ok(each < 100, `${each} ms`)
})

table('JSON is one document', 'is_json!(.t)', [
  ['{"a":1}', 'true'],
  [' 1 ', 'true'],
  ['{', 'false'],
  ['', 'false'],
  ['1 2', 'false']
])

t.test('every kind of scalar is tagged', async t => {
  t.equal(
    run("tag_types_externally([\"a\", true, t'2025-01-01T00:00:00Z', r'x', {}])"),
    '[{"string":"a"},{"boolean":true},{"timestamp":"2025-01-01T00:00:00Z"},{"regex":"x"},{}]'
  )
})
