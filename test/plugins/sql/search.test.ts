import fc from 'fast-check'
import t from 'tap'
import { parseSearch, type SearchNode } from '../../../core/search/search-query.ts'
import { startSql } from './fixtures.ts'

/** A tree in one line: words joined by +, operators in brackets. */
function show(node: SearchNode): string {
  if (node.kind === 'words') return node.words.join('+')
  if (node.kind === 'not') return `not(${show(node.of)})`
  return `${node.kind}(${node.of.map(show).join(' ')})`
}

t.test('a search query is read as it is meant', async t => {
  const cases = {
    error: 'error',
    'a b': 'or(a b)',
    'a AND b OR c': 'or(and(a b) c)',
    'a AND (b OR c)': 'and(a or(b c))',
    'NOT a': 'not(a)',
    'a AND NOT b': 'and(a not(b))',
    'a NOT b': 'and(a not(b))',
    '+a b -c': 'and(a not(c))',
    'a b -c': 'and(or(a b) not(c))',
    '-a': 'not(a)',
    '"a b" c': 'or(a+b c)',
    'foo-bar': 'foo+bar',
    '10.0.0.1:80': '10+0+0+1+80',
    'and or not': 'or(and or not)',
    '"AND"': 'AND',
    ANDROID: 'ANDROID',
    '(a)(b)': 'or(a b)',
    '((a))': 'a',
    'naïve 日本': 'or(naïve 日本)',
    '"say \\"hi\\""': 'say+hi',
    '\\*a\\*': 'a',
    '  a  ': 'a',
    '-(a b)': 'not(or(a b))',
    '+(a AND b)': 'and(a b)'
  }
  for (const [text, tree] of Object.entries(cases)) t.equal(show(parseSearch(text)), tree, text)
})

t.test('a faulty search is refused with its position', async t => {
  const cases = {
    '': 'expected a term, found the end at character 1',
    'a AND': 'expected a term, found the end at character 6',
    'AND a': 'expected a term, found AND at character 1',
    'a OR OR b': 'expected a term, found OR at character 6',
    'a )': 'expected the end, found ) at character 3',
    '()': 'expected a term, found ) at character 2',
    'a (b': 'the parenthesis is not closed at character 3',
    'é "b': 'the quote is not closed at character 3',
    'er*': 'LIKE and regular expressions have them at character 3',
    'a --- b': 'a term needs a letter or a digit at character 4'
  }
  for (const [text, reason] of Object.entries(cases)) {
    t.throws(() => parseSearch(text), { code: 'InvalidArguments', message: new RegExp(`${escapeText(reason)}$`) }, text)
  }
  t.throws(() => parseSearch('('.repeat(60)), /more than 50 parentheses/)
  t.throws(() => parseSearch('a '.repeat(201)), /more than 200 words, the limit of a search at character 401$/)
  t.equal(show(parseSearch('a '.repeat(200))).length, 2 * 200 + 3)
})

function escapeText(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')
}

const words = ['error', 'Error', 'err', 'reset', 'peer', 'Ärger', 'x9', '日本']
const word = fc.constantFrom(...words)
const message = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '-', ': ', '_', '', ', é')), { maxLength: 5 })
  .map(parts => parts.map(([text, after]) => text + after).join(''))
const query = fc.letrec<{ any: string; term: string }>(tie => ({
  term: fc.oneof(
    { weight: 4, arbitrary: word },
    { weight: 2, arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map(all => `"${all.join(' ')}"`) }
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie('term'),
    fc.tuple(tie('any'), fc.constantFrom(' AND ', ' OR ', ' '), tie('any')).map(([a, by, b]) => `(${a})${by}(${b})`),
    tie('any').map(text => `NOT (${text})`),
    fc.tuple(tie('term'), tie('term'), tie('term')).map(([a, b, c]) => `+${a} -${b} ${c}`)
  )
})).any

/** What a search says of a text, word by word. */
function finds(node: SearchNode, text: readonly string[], fold: (word: string) => string): boolean {
  if (node.kind === 'not') return !finds(node.of, text, fold)
  if (node.kind === 'words') {
    return text.some((_, at) => node.words.every((word, i) => fold(text[at + i] ?? '') === fold(word)))
  }
  return node.kind === 'and'
    ? node.of.every(each => finds(each, text, fold))
    : node.of.some(each => finds(each, text, fold))
}

t.test('searches find the same with an index, without one, and word by word', async t => {
  const { ask } = await startSql(t)
  const options = "WITH (granularity = '1024')"
  await ask(`CREATE TABLE logs (at TIMESTAMP(3) TIME INDEX, folded STRING FULLTEXT INDEX ${options},
    exact STRING FULLTEXT INDEX WITH (case_sensitive = 'true', granularity = '1024'), plain STRING) WITH (append_mode = 'true')`)
  const texts = fc.sample(message, { numRuns: 240, seed: 3 })
  // Six files of their own, and rows that are in none.
  for (let from = 0; from < texts.length; from += 40) {
    const rows = texts.slice(from, from + 40).map((text, i) => `(${from + i}, '${text}', '${text}', '${text}')`)
    await ask(`INSERT INTO logs VALUES ${rows.join(', ')}`)
    if (from < 200) await ask(`ADMIN flush_table('logs')`)
  }
  const split = texts.map(text => text.match(/[\p{L}\p{N}]+/gu) ?? [])
  const lower = (text: string) => text.toLowerCase()
  const same = (text: string) => text
  for (const text of fc.sample(query, { numRuns: Number(process.env['WEIR_PROPERTY_RUNS'] ?? 25), seed: 5 })) {
    const node = parseSearch(text)
    const expected = (fold: (word: string) => string) =>
      split.flatMap((all, i) => (finds(node, all, fold) ? [[i]] : []))
    for (const [column, fold] of [
      ['folded', lower],
      ['exact', same],
      ['plain', same],
      ['lower(plain)', same]
    ] as const) {
      const { rows, body } = await ask(`SELECT at FROM logs WHERE matches(${column}, '${text}') ORDER BY at`)
      const of = column === 'lower(plain)' ? split.map(all => all.map(lower)) : split
      const wanted =
        column === 'lower(plain)' ? of.flatMap((all, i) => (finds(node, all, fold) ? [[i]] : [])) : expected(fold)
      if (String(rows) !== String(wanted)) t.same(rows, wanted, `${column}: ${text} ${body.error ?? ''}`)
    }
  }
})

t.test('LIKE finds the same with an index and without', async t => {
  const { ask } = await startSql(t)
  const texts = fc
    .sample(message, { numRuns: 120, seed: 7 })
    .map((text, i) => (i % 9 === 0 ? `${text}100%_*[x]` : text))
  await ask(`CREATE TABLE logs (at TIMESTAMP(3) TIME INDEX, folded STRING FULLTEXT INDEX,
    exact STRING FULLTEXT INDEX WITH (case_sensitive = 'true')) WITH (append_mode = 'true')`)
  for (let from = 0; from < texts.length; from += 20) {
    const rows = texts.slice(from, from + 20).map((text, i) => `(${from + i}, '${text}', '${text}')`)
    await ask(`INSERT INTO logs VALUES ${rows.join(', ')}`)
    if (from < 100) await ask(`ADMIN flush_table('logs')`)
  }
  const pattern = fc
    .tuple(fc.constantFrom(...texts), fc.nat(4), fc.nat(14), fc.constantFrom('x', '%x%', 'x%', '%x', '_x%'), fc.nat(20))
    .map(([text, from, length, around, hole]) => {
      const part = text.slice(around.startsWith('x') ? 0 : from, around.endsWith('x') ? undefined : from + length)
      return around.replace('x', part.slice(0, hole) + part.slice(hole).replace(/^./, hole % 2 === 0 ? '%' : '_'))
    })
  const patterns = fc.sample(pattern, { numRuns: Number(process.env['WEIR_PROPERTY_RUNS'] ?? 30), seed: 9 })
  const conditions = patterns.flatMap(text =>
    ['LIKE', 'ILIKE', 'GLOB'].flatMap(operator => ['folded', 'exact'].map(column => [column, `${operator} '${text}'`]))
  )
  const find = (written: (column: string) => string) =>
    ask(
      conditions
        .map(([column, test], i) => `SELECT ${i} AS n, at FROM logs WHERE ${written(column!)} ${test}`)
        .join(' UNION ALL ')
        .concat(' ORDER BY n, at')
    )
  const found = await find(column => column)
  // An expression is not a column: nothing is known of it.
  const plain = await find(column => `${column} || ''`)
  t.equal(found.status, 200, found.text)
  t.ok(found.rows.length > 100, `${found.rows.length} rows`)
  for (const [i, test] of conditions.entries()) {
    const of = ({ rows }: typeof found) => rows.filter(([n]) => n === i).map(String)
    t.strictSame(of(found), of(plain), test.join(' '))
  }
})

t.test('a query reads the row groups its conditions leave', async t => {
  const { ask, url } = await startSql(t)
  await ask(`CREATE TABLE logs (at TIMESTAMP(3) TIME INDEX, host STRING INVERTED INDEX, code INT SKIPPING INDEX,
    message STRING FULLTEXT INDEX, PRIMARY KEY (host)) WITH (append_mode = 'true')`)
  for (const [host, code, text] of [
    ['a', 1, 'first one'],
    ['b', 2, 'Second one'],
    ['c', 3, 'third']
  ] as const) {
    await ask(`INSERT INTO logs VALUES (${code}, '${host}', ${code}, '${text}')`)
    await ask(`ADMIN flush_table('logs')`)
  }
  const groups = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    const read = (result: string) =>
      Number(new RegExp(`^svc_storage_index_groups_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    return [read('read'), read('skipped')] as const
  }
  const cases: readonly (readonly [string, number, number, number])[] = [
    ["matches(message, 'second')", 1, 1, 2],
    ["matches_term(message, 'one')", 2, 2, 1],
    ["matches(message, 'first OR third')", 2, 2, 1],
    ["matches(message, 'NOT first')", 2, 0, 0],
    ["matches_term(lower(message), 'second')", 1, 1, 2],
    // Rows of a tag are those of its series, which Parquet's own bounds find: no index is asked.
    ["host = 'c'", 1, 0, 0],
    ["logs.host IN ('a', 'c') AND 2 > code", 1, 0, 0],
    ['code = 2 OR 3 = code', 2, 2, 1],
    ["host = 'a' AND (code = 1 OR code > 2)", 1, 0, 0],
    ["host = 'a' OR code > 2", 2, 0, 0],
    ["host = 'a' AND matches(message, 'third')", 0, 1, 2],
    ["host <> 'a'", 2, 0, 0],
    ["code = 2 AND at BETWEEN 2 AND '1970-01-01 00:00:00.003'", 1, 1, 2],
    ["code = 2 AND at > '1970-01-02'", 0, 0, 0],
    ["message LIKE 'first %e'", 1, 1, 2],
    ["message LIKE '%first %'", 1, 0, 0],
    ["message LIKE '% one%'", 2, 0, 0],
    ["message LIKE '%d one'", 1, 2, 1],
    ["message ILIKE 'SECOND _ne'", 1, 1, 2],
    ["message NOT LIKE 'first one'", 2, 0, 0],
    ["message LIKE 'first!%' ESCAPE '!'", 0, 0, 0],
    ["message GLOB 'first*'", 1, 0, 0],
    ["message GLOB 'th[i]rd'", 1, 0, 0],
    ["message = 'third'", 1, 1, 2],
    ["regexp_matches(message, '. second .')", 0, 1, 2]
  ]
  for (const [where, rows, read, skipped] of cases) {
    const before = await groups()
    const answer = await ask(`SELECT at FROM logs WHERE ${where}`)
    const after = await groups()
    t.same([answer.rows.length, after[0] - before[0], after[1] - before[1]], [rows, read, skipped], where)
  }
  const before = await groups()
  await ask("SELECT count(*) FROM logs AS l JOIN logs AS r ON l.at = r.at WHERE l.host = 'a'")
  await ask("SELECT count(*) FROM logs ASOF JOIN (SELECT at AS a FROM logs) x ON logs.at >= x.a WHERE host = 'a'")
  await ask('SELECT count(*) FROM logs AS l(w, x, host, z) WHERE host = 2')
  t.same(await groups(), before, 'where it is not certain what a condition means, all is read')
})
