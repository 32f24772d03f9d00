// The guard of SQL: only listed functions and statements run, judged by DuckDB's own parser.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import t from 'tap'
import {
  functionPrefixes,
  functions,
  nodes,
  type Part,
  tableFunctions
} from '../../../core/storage/embedded/duckdb/allowed.ts'
import { functionNames, guard, onlyCall } from '../../../core/storage/embedded/duckdb/guard.ts'
import { macroNames, macroStatements } from '../../../core/storage/embedded/duckdb/macros/index.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
await connection.run(macroStatements())
await connection.run("SET GLOBAL storage_compatibility_version='latest'")
t.teardown(() => connection.closeSync())

const names = await functionNames(connection)
const check = (text: string, given = 1) => guard(connection, text, [], async () => names, given)

t.test('every function is either on the list or refused by name', async t => {
  const rows = (
    await connection.runAndReadAll('SELECT DISTINCT function_name, function_type FROM duckdb_functions()')
  ).getRows()
  const known = rows.map(([name, type]) => [String(name), String(type)] as const)
  const names = new Set(known.map(([name]) => name.toLowerCase()))
  for (const name of [...functions, ...tableFunctions]) {
    // The reader of DuckDB makes operators of these before it looks for a function.
    if (!['->', '!', '/'].includes(name)) t.ok(names.has(name), `${name} is a function of this DuckDB`)
  }
  const refused = known.filter(
    ([name]) =>
      !functions.has(name.toLowerCase()) &&
      !macroNames.has(name) &&
      !functionPrefixes.some(prefix => name.startsWith(prefix))
  )
  for (const [name, type] of refused) {
    if (type === 'pragma' || !/^\w+$/.test(name)) continue
    const call = type.startsWith('table') ? `SELECT * FROM "${name}"(1)` : `SELECT "${name}"(1)`
    if (type.startsWith('table') && tableFunctions.has(name)) await t.resolves(check(call), name)
    else await t.rejects(check(call), { code: 'Unsupported', message: `function ${name} is not allowed` }, name)
  }
})

/** Together they hold every kind of node with every member that may hold others. */
const read = [
  'WITH RECURSIVE a(x) AS MATERIALIZED (SELECT 1 UNION ALL SELECT x + 1 FROM a WHERE x < 3), b AS (FROM a) SELECT * FROM a JOIN b USING (x)',
  'SELECT DISTINCT ON (q) row_number() OVER w, sum(x) FILTER (WHERE x > 1) OVER (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM (VALUES (1)) v(x) GROUP BY GROUPING SETS ((a), ROLLUP (b), CUBE (c)) HAVING count(*) > 1 WINDOW w AS (ORDER BY z) QUALIFY x = 1 ORDER BY ALL LIMIT 10% OFFSET 2',
  "SELECT CASE x WHEN 1 THEN 2 ELSE 3 END, x BETWEEN 1 AND 2, x IN (1, 2), x IN (SELECT 1), EXISTS (SELECT 1), TRY_CAST(x AS STRUCT(a ENUM('a'), b DECIMAL(9, 2)[])), x COLLATE de, #1, NOT x, a[1:2], {'a': 1}, MAP {1: 2}, INTERVAL (x) DAY, COLUMNS(c -> c LIKE 'a'), *COLUMNS(*), * EXCLUDE (a) REPLACE (1 AS b) RENAME (c AS d), [y + 1 FOR y IN [1]], array(SELECT 1), x = ANY ([1]), TRY(1), $1",
  "FROM (VALUES (1, 'a')) v(n, s) PIVOT (sum(n) FOR s IN ('a')) SELECT *",
  'FROM (SELECT 1 a, 2 b) UNPIVOT (v FOR n IN (a, b))',
  'SELECT * FROM (SELECT 1) a ASOF LEFT JOIN (SELECT 2) b ON a.x >= b.x POSITIONAL JOIN (SELECT 3) c, LATERAL (SELECT 1) d(q)',
  'SELECT 1 UNION BY NAME SELECT 2 EXCEPT ALL SELECT 3 INTERSECT SELECT 4 ORDER BY 1',
  'SELECT * FROM range(3) WITH ORDINALITY r(i, n) USING SAMPLE 5 ROWS',
  'SELECT 1 WHERE true AND false LIMIT 5 OFFSET 2'
]

t.test('every kind of node is read, and what is none of a query is refused', async t => {
  for (const text of read) await t.resolves(check(text), text)
  const refused = {
    'SHOW TABLES': 'SHOW REF',
    'SELECT * FROM (DESCRIBE SELECT 1)': 'SHOW REF',
    'SUMMARIZE SELECT 1': 'SHOW REF',
    'SELECT DEFAULT': 'DEFAULT',
    'SELECT sum(1) EXPORT_STATE': 'export state',
    "FROM '/etc/passwd'": 'table /etc/passwd',
    'FROM main.t': 'table t',
    'FROM information_schema.tables': 'table tables',
    'WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a': 'table b',
    'SELECT * FROM (WITH a AS (SELECT 1) SELECT 1), a': 'table a'
  }
  for (const [text, what] of Object.entries(refused))
    await t.rejects(check(text), { code: 'Unsupported', message: what }, text)
})

t.test('a refusal says where, in characters', async t => {
  await t.rejects(check("SELECT 'ä😀', getvariable('x')"), {
    message: /function getvariable is not allowed/,
    offset: 14
  })
  await t.rejects(check('SELECT 1 +'), { code: 'InvalidSyntax' })
  await t.rejects(check('SELECT nosuch(1)'), { code: 'PlanQuery', message: 'there is no function nosuch', offset: 7 })
  await t.rejects(check('SELECT avgg(1)'), { message: 'there is no function avgg\nDid you mean avg?' })
})

t.test('deep nesting is refused, long unions are read', async t => {
  await t.rejects(check(`SELECT ${'('.repeat(100_000)}1`), { code: 'InvalidArguments', message: /nested too deeply/ })
  await t.rejects(check(`SELECT ${'1 + '.repeat(2_000)}1`), { code: 'InvalidArguments', message: /nested too deeply/ })
  await t.resolves(check('SELECT 1 UNION ALL '.repeat(2_000).concat('SELECT 1')))
})

type Json = null | string | number | boolean | readonly Json[] | { readonly [key: string]: Json }
type Node = { readonly [key: string]: Json }

/** Something that must not run, as each part of a statement may hold it. */
const hostileCall: Node = { class: 'FUNCTION', type: 'FUNCTION', function_name: 'getenv', children: [] }
const hostileTable: Node = { type: 'BASE_TABLE', table_name: '/etc/passwd' }
const hostileQuery: Node = { type: 'SELECT_NODE', select_list: [], from_table: hostileTable }
const hostile: Readonly<Record<Exclude<Part, 'leaf' | 'commons'>, Node>> = {
  expression: hostileCall,
  source: hostileTable,
  query: hostileQuery,
  modifier: { type: 'LIMIT_MODIFIER', limit: hostileCall },
  statement: { node: hostileQuery },
  common: { key: 'x', value: { query: { node: hostileQuery } } },
  commonValue: { query: { node: hostileQuery } },
  order: { type: 'ASCENDING', expression: hostileCall },
  case: { when_expr: hostileCall },
  named: { key: 'x', value: hostileCall },
  pivot: { pivot_expressions: [hostileCall] },
  pivotEntry: { star_expr: hostileCall },
  type: { id: 'STRUCT', type_info: { expr: hostileCall } },
  typeInfo: { expr: hostileCall },
  tableFunction: { ...hostileCall, function_name: 'read_text' }
}

/** A connection whose reading of any statement is this. */
function reading(tree: Json): DuckDBConnection {
  const vector = { getItem: () => JSON.stringify({ error: false, statements: [{ node: tree }] }) }
  const result = { getChunk: () => ({ getColumnVector: () => vector }) }
  return {
    prepare: async () => ({ bindVarchar: () => undefined, run: async () => result })
  } as unknown as DuckDBConnection
}

/** The tree with each of its nodes changed in turn: `kind` names what was changed. */
function* changed(
  value: Json,
  part: Part,
  change: (node: Node, part: Part, members: ReadonlyMap<string, Part>) => Iterable<readonly [string, Node]>
): Generator<readonly [string, Json]> {
  if (part === 'leaf' || value === null) return
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const [kind, made] of changed(item, part, change)) yield [kind, value.with(i, made)]
    return
  }
  const node = value as Node
  const members = nodes[part].get(kindOf(node, part))!
  yield* change(node, part, members)
  for (const [key, inner] of Object.entries(node))
    for (const [kind, made] of changed(inner, members.get(key) ?? 'leaf', change))
      yield [kind, { ...node, [key]: made }]
}

function kindOf(node: Node, part: Part): string {
  if (part === 'expression' || part === 'tableFunction') return String(node['class'])
  return ['source', 'query', 'modifier'].includes(part) ? String(node['type']) : ''
}

t.test('no kind of node holds what must not run in any of its members, and what is new is refused', async t => {
  const attempts = new Map<string, number>()
  const through: string[] = []
  for (const text of read) {
    const [[serialized]] = (
      await connection.runAndReadAll(
        `SELECT json_serialize_sql('${text.replaceAll("'", "''")}', skip_null := true, skip_empty := true, skip_default := true)`
      )
    ).getRows() as [[string]]
    const { statements } = JSON.parse(serialized) as { statements: { node: Json }[] }
    const trees = changed(statements[0]!.node, 'query', function* (node, part, members) {
      const kind = `${part} ${kindOf(node, part)}`.trim()
      yield [`${kind} with a new member`, { ...node, brand_new: {} }]
      const tag = node['class'] === undefined ? 'type' : 'class'
      if (kindOf(node, part) !== '') yield [`${kind} of a new kind`, { ...node, [tag]: 'BRAND_NEW' }]
      for (const [member, held] of members) {
        if (held === 'leaf') continue
        const inner: Json = held === 'commons' ? { map: [hostile.common] } : hostile[held]
        yield [`${kind}: ${member}`, { ...node, [member]: Array.isArray(node[member]) ? [inner] : inner }]
      }
      if (node['function_name'] !== undefined) yield [`${kind}: function_name`, { ...node, function_name: 'brand_new' }]
      if (kindOf(node, part) === 'BASE_TABLE') yield [`${kind}: table_name`, { ...node, table_name: '/etc/passwd' }]
    })
    for (const [kind, tree] of trees) {
      attempts.set(kind, (attempts.get(kind) ?? 0) + 1)
      const code = await guard(reading(tree), '', [], async () => names).then(
        () => 'ran',
        (error: { code?: string }) => error.code
      )
      if (code !== 'Unsupported' && code !== 'PlanQuery') through.push(`${kind}: ${code}`)
    }
  }
  t.strictSame(through, [])
  const wanted = Object.entries(nodes).flatMap(([part, kinds]) =>
    [...kinds].flatMap(([kind, members]) => {
      const held = [...members].filter(([, inner]) => inner !== 'leaf').map(([member]) => `: ${member}`)
      return [' with a new member', ...(kind === '' ? [] : [' of a new kind']), ...held].map(
        what => `${`${part} ${kind}`.trim()}${what}`
      )
    })
  )
  t.strictSame(
    wanted.filter(kind => !attempts.has(kind)),
    [],
    'each has been tried'
  )
  const count = [...attempts.values()].reduce((sum, each) => sum + each, 0)
  t.ok(count >= 1_000, `${count} attempts on ${attempts.size} places`)
})

t.test('a statement has no parameters but those it has values for: others are the own ones of the server', async t => {
  await check('SELECT $1 + $2', 2)
  for (const text of ['SELECT $3 + $1', 'SELECT ?, ?, ?', 'SELECT $name', 'SELECT 1 LIMIT $3'])
    await t.rejects(check(text, 2), { code: /InvalidArguments|InvalidSyntax/ }, text)
})

t.test('the call of a function is found beside any number of values', async t => {
  const text = `SELECT lower('a') IN (${Array.from({ length: 150_000 }, () => 1).join()})`
  t.equal(onlyCall(await check(text), 'lower'), text.indexOf('lower'))
})
