// Deeply nested JSON: the statement fails, and the query process survives.
import t from 'tap'
import { startProcess } from './sql-process-fixtures.ts'

const lists = (depth: number) => `repeat('[', ${depth}) || repeat(']', ${depth})`
const objects = (depth: number, inner = '1') => `repeat('{"a":', ${depth}) || '${inner}' || repeat('}', ${depth})`
/** From rows, so that nothing is known before the statement runs. */
const of = (call: string, text: string) => `SELECT length(CAST(${call} AS VARCHAR)) FROM (SELECT ${text} AS x) t`

/** Every function that takes JSON, with `x` the text. */
const calls = [
  'json_structure(x)',
  'json_structure(CAST(x AS JSON))',
  'json_group_structure(CAST(x AS JSON))',
  "json_contains(x, '2')",
  'json_contains(x, x)',
  "json_contains('[]', x)",
  'json_merge_patch(x, x)',
  `json_merge_patch('{"b":1}', x)`,
  `json_merge_patch('{"b":1}', x, '{}')`,
  `json_merge_patch('{"b":1}', '{}', '{}', x)`,
  'json_valid(x)',
  'json_type(x)',
  'json_keys(x)',
  'json_array_length(x)',
  'json_extract(x, 0)',
  "json_exists(x, '$.a.a')",
  "json_extract(x, '$.*')",
  'json_quote(x)',
  'json_array(CAST(x AS JSON))',
  "json_object('k', CAST(x AS JSON))",
  'json_group_array(CAST(x AS JSON))',
  'from_json(x, \'"JSON"\')',
  `json_transform(x, '["JSON"]')`,
  'CAST(CAST(x AS JSON) AS JSON[])',
  'CAST(x AS VARCHAR[])'
]

t.test('no text in no function ends the process', async t => {
  const { ask, process } = startProcess(t)
  await ask('SELECT 1')
  const { pid } = process.statistics()
  for (const [kind, text] of [['lists', lists(100_000)] as const, ['objects', objects(100_000)] as const])
    for (const call of calls) {
      const answer = await ask(of(call, text)).then(
        rows => `${rows.length} row`,
        (error: Error) => error.message.split('\n')[0]!
      )
      t.match(
        answer,
        /^1 row$|nested deeper than 128 levels|Malformed JSON|Conversion Error/,
        `${call} of ${kind}: ${answer}`
      )
    }
  const structures = [objects(100_000, '"INT"'), `'${'["INT"]'}' || ${lists(5_000)}`, objects(600, '"INT"')]
  for (const structure of structures)
    for (const name of ['from_json', 'from_json_strict', 'json_transform', 'json_transform_strict'])
      await t.rejects(ask(`SELECT ${name}('{}', ${structure})`), { message: /Malformed JSON/ }, name)
  t.equal(process.statistics().pid, pid)
  t.strictSame(process.statistics().restarts, { memory: 0, stuck: 0, died: 0 })
})

t.test('JSON nested deeper than the bound is refused', async t => {
  const { ask } = startProcess(t)
  const refused: Readonly<Record<string, RegExp>> = {
    [`SELECT system.main.json_structure(${lists(10)})`]: /json_structure behind a schema/,
    [`SELECT main.json_contains('[]', '1')`]: /json_contains behind a schema/,
    [`SELECT "JSON_STRUCTURE"(CASE WHEN random() < 0.5 THEN '1' ELSE ${lists(100_000)} END)`]: /a random argument/,
    [`SELECT CAST(${lists(10)} AS JSON)::VARIANT`]: /type VARIANT/,
    [`SELECT TRY_CAST(CAST(${lists(10)} AS JSON) AS STRUCT(a "variant"[]))`]: /type VARIANT/,
    [`SELECT variant_typeof(CAST(${lists(10)} AS JSON))`]: /variant_typeof/
  }
  for (const [text, message] of Object.entries(refused)) await t.rejects(ask(text), { message }, text.slice(0, 60))
})

t.test('other JSON is read as before', async t => {
  const { ask } = startProcess(t)
  const long = ' '.repeat(9_000)
  t.strictSame(await ask(`SELECT json_structure('{"a":[1]}'), json_structure(NULL), json_contains('[1,2]', '2')`), [
    ['{"a":["UBIGINT"]}', null, 1]
  ])
  t.strictSame(await ask(`SELECT json_merge_patch('{"a":1}', '{"b":2}', '{"a":null}')`), [['{"b":2}']])
  t.strictSame(await ask(`SELECT json_transform('{"a":"7"}', '{"a":"INTEGER"}').a + 1`), [[8]])
  t.strictSame(await ask(`SELECT from_json('[1,2]', '["INTEGER"]')[2]`), [[2]])
  t.strictSame(await ask(`SELECT json_group_structure(CAST(j AS JSON)) FROM (VALUES ('{"a":1}'), ('{"b":2}')) t(j)`), [
    ['{"a":"UBIGINT","b":"UBIGINT"}']
  ])
  // Brackets within texts are no levels, and neither are many beside each other.
  const brackets = `'["${'[{'.repeat(5_000)}\\"[", ' || repeat('[{"é":[]}],', 3000) || '1]'`
  t.strictSame(await ask(`SELECT json_contains(${brackets}, '1')`), [[1]])
  t.strictSame(await ask(of('json_structure(x)', `${lists(128)} || '${long}'`)), [[262n]])
  await t.rejects(ask(of('json_structure(x)', `${lists(129)} || '${long}'`)), { message: /deeper than 128 levels/ })
  t.strictSame(await ask(of('json_structure(x)', lists(1_000))), [[2_006n]])
})
