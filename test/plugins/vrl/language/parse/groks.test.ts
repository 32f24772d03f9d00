// Rules of grok: matchers, filters, fields and aliases.
import t from 'tap'
import { run } from './table.ts'

/** Rules are written into the program, so braces of templates are escaped. */
function groks(
  rules: string | readonly string[],
  text: string,
  aliases: Readonly<Record<string, string>> = {}
): string {
  const literal = (rule: string) => JSON.stringify(rule).replaceAll('{', '\\{')
  const entries = Object.entries(aliases).map(([name, rule]) => `${JSON.stringify(name)}: ${literal(rule)}`)
  const patterns = [rules].flat().map(literal).join(', ')
  return run(`parse_groks!(.t, [${patterns}], { ${entries.join(', ')} })`, JSON.stringify({ t: text }))
}

type Row = readonly [rule: string, text: string, result: string | RegExp]

function table(name: string, rows: readonly Row[]): void {
  t.test(name, async t => {
    for (const [rule, text, result] of rows) {
      const found = groks(rule, text)
      if (typeof result === 'string') t.equal(found, result, rule)
      else t.match(found, result, rule)
    }
  })
}

table('a rule matches all of a text', [
  ['%{word:a}', 'x y', /does not match any rule/],
  ['%{data:a}', 'x\ny', '{"a":"x\\ny"}'],
  ['a%{integer}b', 'a1b', '{}']
])

table('matchers find texts and make values', [
  ['%{integer:n}', '-17', '{"n":-17}'],
  ['%{integerStr:n}', '17', '{"n":"17"}'],
  ['%{integerExt:n}', '2e3', '{"n":2000}'],
  ['%{number:n}', '1.50', '{"n":1.5}'],
  ['%{numberExt:n}', '-1.5e-3', '{"n":-0.0015}'],
  ['%{boolean("on", "off"):b}', 'OFF', '{"b":false}'],
  ['%{boolean:b}', 'True', '{"b":true}'],
  ['%{quotedString:q}', '"a b"', '{"q":"\\"a b\\""}'],
  ['%{notSpace:h}:%{port:p}', 'h.x:80', '{"h":"h.x","p":"80"}'],
  ['%{regex("[a-z]\\\\d"):r}', 'a1', '{"r":"a1"}'],
  ['%{regex("\\d+"):r}', '12', '{"r":"12"}'],
  ['%{ipOrHost:h} %{uuid:u}', '::1 6c1f3c2e-1b7a-4f4e-9a70-0d5b6a3f9f10', /"h":"::1"/],
  ['%{HTTPDATE:d}', '04/Mar/2025:05:06:07 +0000', '{"d":"04/Mar/2025:05:06:07 +0000"}']
])

table('dates become milliseconds', [
  ['%{date("yyyy-MM-dd\'T\'HH:mm:ss.SSSZ"):d}', '2025-03-04T06:06:07.250+01:00', '{"d":1741064767250}'],
  ['%{date("dd/MMM/yyyy:HH:mm:ss Z"):d}', '04/Mar/2025:05:06:07 +0000', '{"d":1741064767000}'],
  ['%{date("EEE MMM d hh:mm:ss a yy"):d}', 'Tue Mar 4 05:06:07 PM 25', '{"d":1741107967000}'],
  ['%{date("yyyy-MM-dd HH:mm", "Europe/Berlin"):d}', '2025-07-01 12:00', '{"d":1751364000000}'],
  ['%{date("yyyy-MM-dd"):d}', '2025-13-01', '{}'],
  ['%{date("Q"):d}', 'x', /E403/]
])

table('filters change what was found, or leave the field out', [
  ['%{data:a:uppercase}', 'x', '{"a":"X"}'],
  ['%{number:a:scale(1000)}', '1.5', '{"a":1500.0}'],
  ['%{data:a:nullIf("-")}', '-', '{}'],
  ['%{data:a:integer}', 'x', '{}'],
  ['%{data:a:json}', '{"b":[1]}', '{"a":{"b":[1]}}'],
  ['%{data::json}', '{"b":[1]}', '{"b":[1]}'],
  ['%{data:a:array("[]", ",", integer)}', '[1, 2]', '{"a":[1,2]}'],
  ['%{data:a:array("|")}', 'x|y', '{}'],
  ['%{data:a:array("", "|")}', 'x|y', '{"a":["x","y"]}'],
  ['%{data:a:querystring}', '?x=1', '{"a":{"x":"1"}}'],
  ['%{data:a:rubyhash}', '{:b=>1}', '{"a":{"b":1}}'],
  ['%{data:a:xml}', '<b>1</b>', '{"a":{"b":1}}'],
  ['%{data:a:decodeuricomponent}', 'a%20%C3%A9%', '{"a":"a é%"}'],
  ['%{data:a:nothing}', 'x', /E403/]
])

table('keys and values are read by a filter', [
  ['%{data::keyvalue}', 'a=1, b="x y" c=2.5 d=true e=null x', '{"a":1,"b":"x y","c":2.5,"d":true}'],
  ['%{data:k:keyvalue(": ")}', 'a: x, b: y', '{"k":{"a":"x","b":"y"}}'],
  ['%{data::keyvalue("=", "/:")}', 'a=/b:c a=2', '{"a":["/b:c",2]}'],
  ['%{data::keyvalue("=", "", "<>")}', 'a=<x y>', '{"a":"x y"}'],
  ['%{data::keyvalue("=", "", "", "|")}', 'a=1|b=2', '{"a":1,"b":2}'],
  ['%{data::keyvalue}', 'nothing', '{}']
])

t.test('fields are paths, and those that come again arrays', async t => {
  t.equal(groks('%{integer:a.b} %{integer:a.b} %{word:a."c d"}', '1 2 x'), '{"a":{"b":[1,2],"c d":"x"}}')
})

t.test('aliases stand for rules, but not for themselves', async t => {
  t.equal(groks(['%{x}', '%{pre} %{word:w}'], '1 a', { pre: '%{integer:n}', x: '%{word:y}' }), '{"n":1,"w":"a"}')
  t.equal(groks('%{pre:all}', '1', { pre: '%{integer:n}' }), '{"all":"1","n":1}')
  t.match(groks('%{a}', 'x', { a: '%{b}', b: '%{a}' }), 'Circular dependency')
})

t.test('broken rules do not compile', async t => {
  for (const rule of ['%{', '%{word:a', '%{unknown:a}', '%{regex("("):a}', '%{word:a:scale("x")}', '%{regex(")'])
    t.match(groks(rule, 'x'), 'E403', rule)
  t.match(run('parse_groks!("x", ["a"], {}, ["aliases.json"])'), 'not read from the disk')
  t.match(run('parse_groks!("x", [1])'), 'patterns must be texts')
})
