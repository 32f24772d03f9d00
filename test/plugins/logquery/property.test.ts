// Random filters over random rows find the same rows as a simple implementation, in memory and in files, with and without indexes.
import t from 'tap'
import { compileRegex } from '../../../core/index.ts'
import { createRandom, type Random } from '../../fuzz/random.ts'
import { startLogs } from './fixtures.ts'

interface Row {
  readonly at: number
  readonly message: string | null
  readonly level: string | null
  readonly n: number | null
  readonly load: number | null
  readonly ok: boolean | null
}

/** True, false, or null for unknown. */
type Truth = boolean | null
type Tree = { readonly document: unknown; readonly test: (row: Row) => Truth }

const words = ['error', 'Error', 'connection', 'reset', 'peer', '10.0.0.1', 'a_b', '100%', 'naïve', '日本', 'x', '']
const levels = ['info', 'warn', 'error', null]

function randomRows(random: Random, count: number): Row[] {
  const maybe = <T>(value: T): T | null => (random.once(6) ? null : value)
  return Array.from({ length: count }, (_, at) => ({
    at,
    message: maybe(Array.from({ length: random.below(5) }, () => random.pick(words)).join(random.pick([' ', '-', '']))),
    level: random.pick(levels),
    n: maybe(random.below(7) - 2),
    load: maybe((random.below(9) - 4) / 4),
    ok: maybe(random.once(2))
  }))
}

const not = (truth: Truth): Truth => (truth === null ? null : !truth)
const and = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true)
const or = (truths: readonly Truth[]): Truth => not(and(truths.map(not)))
const known = <T>(value: T | null, test: (value: T) => boolean): Truth => (value === null ? null : test(value))

function randomTree(random: Random, depth: number): Tree {
  if (depth > 0 && random.once(2)) {
    const of = Array.from({ length: 1 + random.below(3) }, () => randomTree(random, depth - 1))
    const documents = of.map(({ document }) => document)
    switch (random.below(3)) {
      case 0:
        return { document: { And: documents }, test: row => and(of.map(({ test }) => test(row))) }
      case 1:
        return { document: { Or: documents }, test: row => or(of.map(({ test }) => test(row))) }
      default:
        return { document: { Not: documents[0] }, test: row => not(of[0]!.test(row)) }
    }
  }
  return randomSingle(random)
}

type Content = { readonly document: unknown; readonly test: (value: string | number | boolean | null) => Truth }

function randomSingle(random: Random): Tree {
  const name = random.pick(['message', 'message', 'message', 'level', 'n', 'load', 'ok'] as const)
  const make = name === 'message' || name === 'level' ? textContent : name === 'ok' ? flagContent : numberContent
  const contents = Array.from({ length: 1 + random.below(2) }, () => make(random))
  const filters = contents.map(({ document }) => document)
  const compound = random.once(4) && filters.length > 1
  const document = {
    Single: { expr: { NamedIdent: name }, filters: compound ? [{ Compound: [filters, 'Or'] }] : filters }
  }
  const join = compound ? or : and
  return { document, test: row => join(contents.map(({ test }) => test(row[name]))) }
}

const exist: Content = { document: 'Exist', test: value => value !== null }

function textContent(random: Random): Content {
  const word = random.once(3)
    ? `${random.pick(words)}${random.pick([' ', ''])}${random.pick(words)}`
    : random.pick(words)
  const part = word.slice(random.below(2), word.length - random.below(2))
  const on = (document: unknown, test: (text: string) => boolean): Content => ({
    document,
    test: value => known(value as string | null, test)
  })
  const regex = compileRegex(random.pick(['^e', 'r+', '(?i)error', '[0-9]+%?$', 'n.ï', '\\bpeer\\b', 'a|b', 'x*']))
  switch (random.below(9)) {
    case 0:
      return on({ Exact: word }, text => text === word)
    case 1:
      return on({ Prefix: part }, text => text.startsWith(part))
    case 2:
      return on({ Postfix: part }, text => text.endsWith(part))
    case 3:
      return on({ Regex: regex.source }, text => regex.test(text))
    case 4:
      return on({ In: [word, 'info'] }, text => text === word || text === 'info')
    case 5:
      return on({ GreatThan: { value: word, inclusive: true } }, text => compare(text, word) >= 0)
    case 6:
      return exist
    default:
      return on({ Contains: part }, text => text.includes(part))
  }
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function numberContent(random: Random): Content {
  const bound = (random.below(11) - 5) / random.pick([1, 2, 4])
  const on = (document: unknown, test: (number: number) => boolean): Content => ({
    document,
    test: value => known(value as number | null, test)
  })
  const inclusive = random.once(2)
  switch (random.below(6)) {
    case 0:
      return on({ GreatThan: { value: String(bound), inclusive } }, x => x > bound || (inclusive && x === bound))
    case 1:
      return on({ LessThan: { value: bound, inclusive } }, x => x < bound || (inclusive && x === bound))
    case 2:
      return on(
        { Between: { start: String(bound), end: String(bound + 2), start_inclusive: inclusive } },
        x => (x > bound || (inclusive && x === bound)) && x < bound + 2
      )
    case 3:
      return on({ Equal: { Float: bound } }, x => x === bound)
    case 4:
      return exist
    default:
      return on({ In: [String(bound), 1, '0'] }, x => x === bound || x === 1 || x === 0)
  }
}

function flagContent(random: Random): Content {
  const flag = random.once(2)
  switch (random.below(3)) {
    case 0:
      return { document: flag ? 'IsTrue' : 'IsFalse', test: value => value === flag }
    case 1:
      return { document: { Equal: { Boolean: flag } }, test: value => known(value, each => each === flag) }
    default:
      return exist
  }
}

/** The times of the rows a query finds, newest first. */
function expected(rows: readonly Row[], { test }: Tree, context: readonly [kind: string, number, number]): number[] {
  const [kind, before, after] = context
  // A row comes each second: lines and seconds are the same.
  const found = rows.filter(row => test(row) === true).map(({ at }) => at)
  if (kind === 'None') return found.toReversed()
  const near = rows.filter(({ at }) => found.some(other => at >= other - before && at <= other + after))
  return near.map(({ at }) => at).toReversed()
}

t.test('random queries', async t => {
  const { sql, logs } = await startLogs(t)
  const random = createRandom(20_261_121)
  const rows = randomRows(random, 300)
  const columns = `at TIMESTAMP(0) TIME INDEX, message STRING %, level STRING, n BIGINT, load DOUBLE, ok BOOLEAN`
  await sql(`CREATE TABLE plain (${columns.replace('%', '')}) WITH (append_mode = 'true');
    CREATE TABLE indexed (${columns.replace('%', "FULLTEXT INDEX WITH (granularity = '1024')")}) WITH (append_mode = 'true')`)
  const value = (each: unknown) => (typeof each === 'string' ? `'${each}'` : String(each))
  const insert = (some: readonly Row[]) =>
    some.map(row => `(${[row.at, row.message, row.level, row.n, row.load, row.ok].map(value).join()})`).join()
  for (const table of ['plain', 'indexed']) {
    await sql(`INSERT INTO ${table} VALUES ${insert(rows.slice(0, 200))}`)
    await sql(`ADMIN flush_table('${table}')`)
    await sql(`INSERT INTO ${table} VALUES ${insert(rows.slice(200))}`)
  }
  for (let run = 0; run < 100; run++) {
    const tree = randomTree(random, 3)
    const kind = random.pick(['None', 'None', 'Lines', 'Seconds'])
    const [before, after] = [random.below(4), random.below(4)]
    const context = kind === 'None' ? kind : { [kind]: [before, after] }
    const [skip, fetch] = [random.below(4), random.pick([1, 7, 1000])]
    const wanted = expected(rows, tree, [kind, before, after]).slice(skip, skip + fetch)
    const table = random.pick(['plain', 'indexed'])
    const query = { table, columns: ['at'], filters: tree.document, context, limit: { skip, fetch } }
    const { error, rows: found } = await logs(query)
    const same = error === '' && found.map(([at]) => at).join() === wanted.join()
    if (!same) t.fail(`${JSON.stringify(query)}: ${error} ${found.join(' ')} instead of ${wanted.join(' ')}`)
  }
})
