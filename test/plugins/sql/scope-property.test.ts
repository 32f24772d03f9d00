// Statements made up over tables that share names but not types and units, with aliases, subqueries, common tables, views, changed types
// and time zones, must answer what plain DuckDB does over the same rows. WEIR_PROPERTY_RUNS and WEIR_PROPERTY_SEED: more, and again.
import { DuckDBInstance } from '@duckdb/node-api'
import t from 'tap'
import { createRandom, type Random } from '../../fuzz/random.ts'
import { isLong } from '../../long.ts'
import { startSql } from './fixtures.ts'

const runs = Number(process.env['WEIR_PROPERTY_RUNS'] ?? (isLong ? 1000 : 300))
const seed = Number(process.env['WEIR_PROPERTY_SEED'] ?? Date.now() % 2 ** 31)

/** `CLOCK` is a text that holds a time, without a zone or with an offset. */
type Type = 'INT' | 'BIGINT' | 'DOUBLE' | 'STRING' | 'CLOCK' | 's' | 'ms' | 'us' | 'ns'

interface Column {
  readonly name: string
  readonly type: Type
}

/** A query in both dialects. */
interface Made {
  readonly ours: string
  readonly theirs: string
  readonly columns: readonly Column[]
}

/** Something to select from, under a name. */
interface Source extends Made {
  readonly alias: string
}

interface Pair {
  readonly ours: string
  readonly theirs: string
}

const units = { s: 1, ms: 1_000, us: 1_000_000, ns: 1_000_000_000 } as const
const precisions = { s: 0, ms: 3, us: 6, ns: 9 } as const
const engineTypes = { s: 'TIMESTAMP_S', ms: 'TIMESTAMP_MS', us: 'TIMESTAMP', ns: 'TIMESTAMP_NS' } as const
const names = ['a', 'b', 'ts', 'v', 'at', 'c']
const zones = { UTC: 0, '+05:30': 19_800, '-03:00': -10_800 } as const
/** Seconds from here are times; few, so that they meet. */
const firstSecond = 1_700_000_000

function isTime(type: Type): type is keyof typeof units {
  return type in units
}

function isText(type: Type): boolean {
  return type === 'STRING' || type === 'CLOCK'
}

/** What compares with what. */
function kindOf(type: Type): 'time' | 'clock' | 'text' | 'number' {
  if (type === 'CLOCK') return 'clock'
  return isTime(type) ? 'time' : type === 'STRING' ? 'text' : 'number'
}

function engineType(type: Type): string {
  if (isTime(type)) return engineTypes[type]
  return isText(type) ? 'VARCHAR' : type
}

function columnText(type: Type): string {
  if (isTime(type)) return `TIMESTAMP(${precisions[type]})`
  return isText(type) ? 'STRING' : type
}

/** Kinds of `#feature`. */
const features = 10

class Generator {
  readonly features = new Set<number>()
  readonly #random: Random
  readonly #tables: readonly Source[]
  readonly #views: Source[] = []
  readonly #zone: keyof typeof zones
  #aliases = 0
  #takesParameters = true
  /** Values by the names of parameters. */
  readonly parameters = new Map<string, unknown>()

  constructor(random: Random, tables: readonly Source[], zone: keyof typeof zones) {
    this.#random = random
    this.#tables = tables
    this.#zone = zone
  }

  get views(): readonly Source[] {
    return this.#views
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#random.below(of.length)]!
  }

  #chance(share: number): boolean {
    return this.#random.below(100) < share * 100
  }

  /** One that is not of the sources of the statement. */
  #alias(): string {
    return `${this.#one(['x', 'y', 'ts', 'q'])}${this.#aliases++}`
  }

  query(depth: number): Made {
    if (this.#chance(0.2)) return this.#feature(this.#random.below(features), this.#source(0))
    if (depth > 0 && this.#chance(0.12)) return this.#union(depth)
    if (depth > 0 && this.#chance(0.15)) return this.#common(depth)
    return this.#select(depth)
  }

  view(name: string): void {
    const made = this.#quietly(() => this.#select(1))
    const columns = made.columns.map((column, i) => ({ ...column, name: `${this.#one(names)}${i}` }))
    const list = columns.map(column => column.name).join(', ')
    this.#views.push({
      ours: `CREATE VIEW ${name} (${list}) AS ${made.ours}`,
      theirs: `(SELECT * FROM (${made.theirs}) AS w(${list}))`,
      columns,
      alias: name
    })
  }

  /** The statement that makes a table of a query with one time, and the table. */
  tableAs(name: string): string | undefined {
    const made = this.#quietly(() => this.#select(1))
    if (made.columns.filter(({ type }) => isTime(type)).length !== 1) return undefined
    const columns = made.columns.map((column, i) => ({ ...column, name: `${this.#one(names)}${i}` }))
    const list = columns.map(column => column.name).join(', ')
    const theirs = `(SELECT * FROM (${made.theirs}) AS w(${list}))`
    this.#views.push({ ours: '', theirs, columns, alias: name })
    return `CREATE TABLE ${name} AS SELECT * FROM (${made.ours}) AS w(${list})`
  }

  /** Without parameters: views and tables are made by statements of their own. */
  #quietly<T>(work: () => T): T {
    this.#takesParameters = false
    const result = work()
    this.#takesParameters = true
    return result
  }

  /** Syntax beyond that of a SELECT, over the first table, which has columns of all kinds. */
  feature(feature: number): Made {
    return this.#feature(feature, this.#named(this.#tables[0]!))
  }

  /** Over one table so that an oracle can be written down. */
  #feature(feature: number, source: Source): Made {
    const all = source.columns.map(({ name }) => `${source.alias}.${name}`)
    const both = (text: (from: string) => string, columns: readonly Column[]): Made => ({
      ours: text(source.ours),
      theirs: text(source.theirs),
      columns
    })
    const of = (fits: (type: Type) => boolean) => source.columns.filter(({ type }) => fits(type))
    const [text, number, time] = [
      of(type => type === 'STRING')[0],
      of(type => kindOf(type) === 'number')[0],
      of(isTime)[0]
    ]
    const order = `ORDER BY ${all.join(', ')}`
    this.features.add(feature)
    switch (feature) {
      case 0: {
        const key = this.#one(source.columns).name
        const ranked = `row_number() OVER (PARTITION BY ${source.alias}.${key} ${order} DESC) = 1`
        return both(from => `SELECT ${all.join(', ')} FROM ${from} QUALIFY ${ranked}`, source.columns)
      }
      case 1: {
        const [first, ...others] = source.columns
        const columns = [{ ...first!, name: 'z' }, ...others]
        return both(from => `SELECT * RENAME (${first!.name} AS z) FROM ${from}`, columns)
      }
      case 2: {
        if (number === undefined) break
        const value = `CASE WHEN ${source.alias}.${number.name} = 1 THEN NULL ELSE ${source.alias}.${number.name} END`
        const over = `OVER (${order} ROWS UNBOUNDED PRECEDING)`
        const name = this.#one(['first_value', 'last_value'])
        const forms = [`${name}(${value}) IGNORE NULLS ${over}`, `${name}(${value} IGNORE NULLS) ${over}`]
        const columns = [...source.columns, { name: 'v', type: number.type }]
        return {
          ours: `SELECT ${all.join(', ')}, ${this.#one(forms)} AS v FROM ${source.ours}`,
          theirs: `SELECT ${all.join(', ')}, ${forms[1]} AS v FROM ${source.theirs}`,
          columns
        }
      }
      case 3: {
        if (number === undefined) break
        const list = `[x + 1 FOR x IN [${source.alias}.${number.name}, 2] IF x > ${this.#random.below(3)}][1]`
        return both(from => `SELECT ${list} AS v FROM ${from}`, [{ name: 'v', type: number.type }])
      }
      case 4: {
        if (text === undefined || number === undefined || time === undefined) break
        const columns = [time, ...['s0', 's1', 's2'].map(name => ({ name, type: number.type }))]
        const inner = `SELECT ${[time, text, number].map(({ name }) => `${source.alias}.${name}`).join(', ')} FROM`
        const pivot = `ON ${text.name} IN ('s0', 's1', 's2') USING max(${number.name}) GROUP BY ${time.name}`
        return both(from => `SELECT * FROM (PIVOT (${inner} ${from}) ${pivot})`, columns)
      }
      case 7: {
        if (text === undefined || number === undefined || time === undefined) break
        const [at, key, value] = [time, text, number].map(({ name }) => `${source.alias}.${name}`)
        const values = "['s0', 's1', 's2']"
        // Every value stands in it, also where the source is empty, so that the columns are known.
        const all = (from: string) =>
          `SELECT ${at} AS w, ${key} AS k, ${value} AS n FROM ${from} UNION ALL SELECT (SELECT max(${at}) FROM ${from}), unnest(${values}), NULL`
        const pivot = (from: string, listed: string) =>
          `SELECT * FROM (PIVOT (${all(from)}) ON k${listed} USING min(n) GROUP BY w)`
        return {
          ours: pivot(source.ours, ''),
          theirs: pivot(source.theirs, " IN ('s0', 's1', 's2')"),
          columns: [{ ...time, name: 'w' }, ...['s0', 's1', 's2'].map(name => ({ name, type: number.type }))]
        }
      }
      case 8: {
        if (text === undefined || number === undefined || time === undefined) break
        const columns = [time, ...['s1', 's2'].map(name => ({ name, type: number.type }))]
        const inner = [time, text, number].map(({ name }) => `${source.alias}.${name}`).join(', ')
        const pivot = `PIVOT (max(${number.name}) FOR ${text.name} IN ('s1', 's2') GROUP BY ${time.name})`
        return both(from => `SELECT * FROM (SELECT ${inner} FROM ${from}) ${pivot}`, columns)
      }
      case 5: {
        if (number === undefined || time === undefined) break
        const other = this.#source(0)
        const match = other.columns.find(({ type }) => isTime(type))
        if (match === undefined) break
        const join = (key: 'ours' | 'theirs') =>
          `SELECT ${all.join(', ')}, ${other.alias}.${match.name} AS m FROM ${source[key]} ASOF JOIN ${other[key]} ON ${source.alias}.${time.name} >= ${other.alias}.${match.name}`
        return {
          ours: join('ours'),
          theirs: join('theirs'),
          columns: [...source.columns, { name: 'm', type: match.type }]
        }
      }
      case 9: {
        const clock = of(type => type === 'CLOCK')[0]
        if (clock === undefined || time === undefined || !isTime(time.type)) break
        return this.#clocks(source, { name: time.name, type: time.type }, clock)
      }
      case 6: {
        if (number === undefined || time === undefined || !isTime(time.type)) break
        return this.#gaps(source, { name: time.name, type: time.type }, number)
      }
    }
    return both(from => `SELECT ${all.join(', ')} FROM ${from}`, source.columns)
  }

  /** Texts that meet times, where both may be chosen. */
  #clocks(source: Source, time: { name: string; type: keyof typeof units }, clock: Column): Made {
    const at = `${source.alias}.${time.name}`
    const text = `${source.alias}.${clock.name}`
    const moment = this.#clockTime(text, time.type)
    const forms: ((from: string, c: string) => string)[] = [
      (from, c) => `SELECT ${at} AS w FROM ${from} UNION ALL SELECT ${c} FROM ${from}`,
      (from, c) => `SELECT ${c} AS w FROM ${from} UNION SELECT ${at} FROM ${from}`,
      (from, c) => `SELECT coalesce(${c}, ${at}) AS w FROM ${from}`,
      (from, c) => `SELECT greatest(${at}, ${c}) AS w FROM ${from}`,
      (from, c) => `SELECT CASE WHEN ${at} < ${c} THEN ${c} ELSE ${at} END AS w FROM ${from}`,
      (from, c) => `SELECT ${at} AS w FROM ${from} WHERE ${at} IN (SELECT ${c} FROM ${from})`,
      (from, c) => `SELECT ${at} AS w FROM ${from} WHERE (${at}, 1) = (${c}, 1)`,
      (from, c) => `SELECT ${at} AS w FROM ${from} WHERE ${at} IS NOT DISTINCT FROM ${c}`
    ]
    const form = this.#one(forms)
    return {
      ours: form(source.ours, text),
      theirs: form(source.theirs, moment),
      columns: [{ name: 'w', type: time.type }]
    }
  }

  /** What a text stands for: its clock is that of the zone, unless it says otherwise. */
  #clockTime(text: string, unit: keyof typeof units): string {
    const local = `CAST(${text} AS TIMESTAMP) - INTERVAL '${zones[this.#zone]} seconds'`
    const moment = `CASE WHEN ${text} LIKE '%Z' THEN CAST(rtrim(${text}, 'Z') AS TIMESTAMP) ELSE ${local} END`
    return `CAST(${moment} AS ${engineTypes[unit]})`
  }

  #gaps(source: Source, time: { name: string; type: keyof typeof units }, number: Column): Made {
    const [at, value] = [time.name, number.name].map(name => `${source.alias}.${name}`) as [string, string]
    const [from, to] = [this.#time(time.type), this.#time(time.type)]
    const step = `INTERVAL '${1 + this.#random.below(4)} seconds'`
    const slot = (of: string) => `time_bucket(${step}, CAST(${of} AS TIMESTAMP), TIMESTAMP '1970-01-01')`
    const fill = this.#one(['', 'locf', 'interpolate'])
    const rows = `SELECT ${slot(at)} AS s, max(${value}) AS m FROM ${source.theirs} WHERE ${at} >= ${from.theirs} AND ${at} < ${to.theirs} GROUP BY 1`
    const grid = `SELECT unnest(range(${slot(from.theirs)}, CAST(${to.theirs} AS TIMESTAMP), ${step})) AS s WHERE EXISTS (FROM (${rows}))`
    const before = (of: string) => `last_value(${of} IGNORE NULLS) OVER (ORDER BY g.s ROWS UNBOUNDED PRECEDING)`
    const behind = (of: string) =>
      `first_value(${of} IGNORE NULLS) OVER (ORDER BY g.s ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`
    const known = 'CASE WHEN r.m IS NOT NULL THEN epoch(r.s)::BIGINT END'
    const [rise, run] = [`(${behind('r.m')} - ${before('r.m')})`, `(${behind(known)} - ${before(known)})`]
    const part = `${rise} * (epoch(g.s)::BIGINT - ${before(known)})`
    const line =
      number.type === 'DOUBLE'
        ? `${before('r.m')} + ${part} / ${run}`
        : `(${before('r.m')} * ${run} + ${part}) // ${run}`
    const fills: Readonly<Record<string, string>> = { locf: before('r.m'), interpolate: `coalesce(r.m, ${line})` }
    const filled = fills[fill] ?? 'r.m'
    return {
      ours: `SELECT date_bin_gapfill(${step}, ${at}) AS w, ${fill}(max(${value})) AS v FROM ${source.ours} WHERE ${at} >= ${from.ours} AND ${at} < ${to.ours} GROUP BY w`,
      theirs: `SELECT CAST(g.s AS ${engineTypes[time.type]}) AS w, ${filled} AS v FROM (${grid}) AS g LEFT JOIN (${rows}) AS r ON r.s = g.s`,
      columns: [
        { name: 'w', type: time.type },
        { name: 'v', type: number.type }
      ]
    }
  }

  #union(depth: number): Made {
    const [left, right] = [this.#select(depth - 1), this.#select(depth - 1)]
    const same =
      left.columns.length === right.columns.length &&
      left.columns.every(({ type }, i) => type === right.columns[i]!.type)
    if (!same) return left
    const join = (key: 'ours' | 'theirs') => `(${left[key]}) UNION ALL (${right[key]})`
    return { ours: join('ours'), theirs: join('theirs'), columns: left.columns }
  }

  #common(depth: number): Made {
    const name = this.#alias()
    const inner = this.#select(depth - 1)
    const columns = inner.columns.map((column, i) => ({ ...column, name: `${this.#one(names)}${i}` }))
    const list = columns.map(column => column.name).join(', ')
    const outer = this.#select(0, [{ ours: name, theirs: name, columns, alias: name }])
    const join = (key: 'ours' | 'theirs') => `WITH ${name}(${list}) AS (${inner[key]}) ${outer[key]}`
    return { ours: join('ours'), theirs: join('theirs'), columns: outer.columns }
  }

  #source(depth: number): Source {
    if (depth > 0 && this.#chance(0.35)) {
      const made = this.query(depth - 1)
      const columns = made.columns.map((column, i) => ({ ...column, name: `${column.name}${i}` }))
      const alias = this.#alias()
      const list = columns.map(column => column.name).join(', ')
      const join = (key: 'ours' | 'theirs') => `(${made[key]}) AS ${alias}(${list})`
      return { ours: join('ours'), theirs: join('theirs'), columns, alias }
    }
    return this.#named(this.#one([...this.#tables, ...this.#views]))
  }

  #named(found: Source): Source {
    const alias = this.#alias()
    const isView = this.#views.includes(found)
    const ours = `${isView ? found.alias : found.ours} AS ${alias}`
    return { ours, theirs: `${found.theirs} AS ${alias}`, columns: found.columns, alias }
  }

  #select(depth: number, given?: readonly Source[]): Made {
    const sources = given ? [...given] : [this.#source(depth)]
    const from: Pair[] = [sources[0]!]
    if (given === undefined && this.#chance(0.4)) {
      const other = this.#source(depth)
      const shared = sources[0]!.columns.filter(({ name, type }) =>
        other.columns.some(column => column.name === name && kindOf(column.type) === kindOf(type))
      )
      const both = (text: string) => ({ ours: text, theirs: text })
      from.push(both(' JOIN '), other, both(' ON '))
      sources.push(other)
      const key = shared.length > 0 ? this.#one(shared).name : undefined
      const time = sources[0]!.columns.find(({ type }) => isTime(type))
      const clock = other.columns.find(({ type }) => type === 'CLOCK')
      if (time !== undefined && isTime(time.type) && clock !== undefined && this.#chance(0.4)) {
        const [at, text] = [`${sources[0]!.alias}.${time.name}`, `${other.alias}.${clock.name}`]
        from.push({ ours: `${at} = ${text}`, theirs: `${at} = ${this.#clockTime(text, time.type)}` }, both(' AND '))
      }
      const equal = key === undefined ? both('true') : both(`${sources[0]!.alias}.${key} = ${other.alias}.${key}`)
      from.push(equal, both(' AND '), this.#condition(sources))
    }
    const where = this.#chance(0.7) ? this.#condition(sources, depth) : undefined
    const { items, columns, tail } = this.#items(sources)
    const join = (key: 'ours' | 'theirs') =>
      `SELECT ${items.map(item => item[key]).join(', ')} FROM ${from.map(part => part[key]).join('')}${where ? ` WHERE ${where[key]}` : ''}${tail}`
    return { ours: join('ours'), theirs: join('theirs'), columns }
  }

  #items(sources: readonly Source[]): { items: readonly Pair[]; columns: readonly Column[]; tail: string } {
    if (this.#chance(0.2)) {
      const [key, of] = [this.#reference(sources), this.#reference(sources)]
      const name = this.#one(names)
      const items = [key.text, `max(${of.text}) AS ${name}`].map(text => ({ ours: text, theirs: text }))
      return { items, columns: [key.column, { name, type: of.column.type }], tail: ` GROUP BY ${key.text}` }
    }
    const all = Array.from({ length: 1 + this.#random.below(3) }, () => {
      const { text, column } = this.#reference(sources)
      if (this.#chance(0.5)) return { text, column }
      const name = this.#one(names)
      return { text: `${text} AS ${name}`, column: { name, type: column.type } }
    })
    return {
      items: all.map(({ text }) => ({ ours: text, theirs: text })),
      columns: all.map(({ column }) => column),
      tail: ''
    }
  }

  #reference(sources: readonly Source[], wanted?: (type: Type) => boolean): { text: string; column: Column } {
    const all = sources.flatMap(source => source.columns.map(column => ({ source, column })))
    const fitting = wanted === undefined ? all : all.filter(({ column }) => wanted(column.type))
    const { source, column } = this.#one(fitting.length > 0 ? fitting : all)
    const only = all.filter(other => other.column.name === column.name).length === 1
    return { text: only && this.#chance(0.6) ? column.name : `${source.alias}.${column.name}`, column }
  }

  #condition(sources: readonly Source[], depth = 0): Pair {
    if (this.#chance(0.2)) {
      const [left, right] = [this.#condition(sources), this.#condition(sources)]
      const op = this.#one(['AND', 'OR'])
      const join = (key: 'ours' | 'theirs') => `(${left[key]} ${op} ${right[key]})`
      return { ours: join('ours'), theirs: join('theirs') }
    }
    const { text, column } = this.#reference(sources, type => !this.#chance(0.7) || isTime(type))
    if (!isTime(column.type)) {
      const value = isText(column.type) ? `s${this.#random.below(3)}` : this.#random.below(4)
      const written = isText(column.type) ? `'${value}'` : String(value)
      const operator = isText(column.type) && this.#chance(0.2) ? 'GLOB' : this.#one(['=', '<>', '<', '>='])
      return {
        ours: `${text} ${operator} ${this.#parameter(value) ?? written}`,
        theirs: `${text} ${operator} ${written}`
      }
    }
    if (depth > 0 && this.#chance(0.25)) {
      const inner = this.#source(0)
      const asked = this.#reference([inner], type => type === column.type)
      if (isTime(asked.column.type)) {
        const more = this.#condition([inner])
        const join = (key: 'ours' | 'theirs') =>
          `${text} IN (SELECT ${inner.alias}.${asked.column.name} FROM ${inner[key]} WHERE ${more[key]})`
        return { ours: join('ours'), theirs: join('theirs') }
      }
    }
    return this.#timed(text, column.type, sources)
  }

  /** A parameter of that value, or nothing. */
  #parameter(value: unknown): string | undefined {
    if (!this.#takesParameters || !this.#chance(0.2)) return undefined
    const name = `p${this.parameters.size}`
    this.parameters.set(name, value)
    return `$${name}`
  }

  #timed(text: string, unit: keyof typeof units, sources: readonly Source[]): Pair {
    const op = this.#one(['=', '<>', '<', '<=', '>', '>='])
    const [one, other] = [this.#clock(sources, unit) ?? this.#time(unit), this.#time(unit)]
    const each = (make: (a: string, b: string) => string): Pair => ({
      ours: make(one.ours, other.ours),
      theirs: make(one.theirs, other.theirs)
    })
    switch (this.#random.below(6)) {
      case 0:
        return each((a, b) => `${text} BETWEEN ${a} AND ${b}`)
      case 1:
        return each((a, b) => `${text} IN (${a}, ${b})`)
      case 2:
        return each(a => `${a} ${op} ${text}`)
      case 3:
        return each(a => `NOT (${text}) ${op} ${a}`)
      case 4:
        return each(a => `CASE ${text} WHEN ${a} THEN true ELSE false END`)
    }
    return each(a => `${text} ${op} ${a}`)
  }

  /** A text column or what is made of one, in the place of a time. */
  #clock(sources: readonly Source[], unit: keyof typeof units): Pair | undefined {
    const { text, column } = this.#reference(sources, type => type === 'CLOCK')
    if (column.type !== 'CLOCK' || !this.#chance(0.4)) return undefined
    const ours = this.#one([text, `(${text})`, `trim(${text})`, `(${text} || '')`, `array_to_string([${text}], '')`])
    return { ours, theirs: this.#clockTime(text, unit) }
  }

  #time(unit: keyof typeof units): Pair {
    const second = firstSecond + this.#random.below(6)
    const theirs = `CAST(make_timestamp(${BigInt(second) * 1_000_000n}) AS ${engineTypes[unit]})`
    const number = BigInt(second) * BigInt(units[unit])
    const text = (offset: number) => new Date((second + offset) * 1000).toISOString().slice(0, 19).replace('T', ' ')
    const forms = [
      `${number}`,
      `(${number})`,
      `${number - 7n} + 7`,
      `(-(${-number}))`.replace('--', '- -'),
      `'${text(zones[this.#zone])}'`,
      `'${text(0)}Z'`,
      `TIMESTAMP '${text(zones[this.#zone])}'`,
      `CAST('${text(zones[this.#zone])}' AS ${columnText(unit)})`
    ]
    const given = this.#one([Number(number), `${text(zones[this.#zone])}`])
    const exact = typeof given === 'string' || Number.isSafeInteger(given)
    return { ours: (exact ? this.#parameter(given) : undefined) ?? this.#one(forms), theirs }
  }
}

t.test('statements mean what they mean to plain DuckDB over the same rows', async t => {
  const random = createRandom(seed)
  const one = <T>(of: readonly T[]) => of[random.below(of.length)]!
  const { ask } = await startSql(t)
  const plain = await (await DuckDBInstance.create(':memory:')).connect()
  t.teardown(() => plain.closeSync())
  const tables: Source[] = []
  for (let i = 0; i < 4; i++) {
    const unit = one(['s', 'ms', 'us', 'ns'] as const)
    const types = (['INT', 'BIGINT', 'DOUBLE', 'STRING', 'CLOCK'] as const).filter(() => i === 0 || random.below(4) > 0)
    const time = one(['ts', 'at'])
    const free = names.filter(name => name !== time)
    const before: Column[] = types.map(type => ({ name: free.splice(random.below(free.length), 1)[0]!, type }))
    const name = `t${i}`
    const list = [
      ...before.map(column => `${column.name} ${columnText(column.type)}`),
      `${time} TIMESTAMP(${precisions[unit]}) TIME INDEX`
    ]
    t.equal((await ask(`CREATE TABLE ${name} (${list.join(', ')}) WITH (append_mode = 'true')`)).status, 200)
    const rows = Array.from(
      { length: 8 },
      () =>
        [
          ...before.map(({ type }) => {
            if (type === 'CLOCK') return clockText(random)
            return type === 'STRING' ? `'s${random.below(3)}'` : String(random.below(4))
          }),
          BigInt(firstSecond + random.below(6)) * BigInt(units[unit])
        ] as const
    )
    t.equal((await ask(`INSERT INTO ${name} VALUES ${rows.map(row => `(${row.join(', ')})`).join(', ')}`)).status, 200)
    const columns: Column[] = []
    for (const column of before) {
      const changed = column.type === 'INT' && random.below(2) === 0
      if (changed) await ask(`ALTER TABLE ${name} MODIFY COLUMN ${column.name} BIGINT`)
      columns.push(changed ? { ...column, type: 'BIGINT' } : column)
    }
    columns.push({ name: time, type: unit })
    await plain.run(
      `CREATE TABLE ${name} (${columns.map(column => `"${column.name}" ${engineType(column.type)}`).join(', ')})`
    )
    for (const row of rows) {
      const at = `CAST(make_timestamp(${(BigInt(row.at(-1)!) * 1_000_000n) / BigInt(units[unit])}) AS ${engineTypes[unit]})`
      await plain.run(`INSERT INTO ${name} VALUES (${[...row.slice(0, -1), at].join(', ')})`)
    }
    tables.push({ ours: name, theirs: name, columns, alias: name })
  }
  let answered = 0
  const answeredFeatures: number[] = Array.from({ length: features }, () => 0)
  for (let run = 0; run < runs; run++) {
    const zone = one(Object.keys(zones) as (keyof typeof zones)[])
    const generator = new Generator(random, tables, zone)
    const headers = { 'x-svc-timezone': zone }
    if (run % 3 === 0) {
      generator.view(`w${run}`)
      const made = await ask(generator.views[0]!.ours, {}, headers)
      if (made.status !== 200) continue
      // A view is read in the zone of who asks.
    }
    const table = run % 4 === 1 ? generator.tableAs(`c${run}`) : undefined
    if (table !== undefined) t.equal((await ask(table, {}, headers)).status, 200, table)
    // Each feature is there at least thrice, whatever chance has it.
    const query = run < 3 * features ? generator.feature(run % features) : generator.query(2)
    const used = [...generator.parameters].filter(([name]) => new RegExp(`\\$${name}\\b`).test(query.ours))
    const params: Record<string, string> = used.length === 0 ? {} : { params: JSON.stringify(Object.fromEntries(used)) }
    const reply = await ask(query.ours, params, headers)
    const expected = await readPlain(plain, query)
    if (expected === undefined) continue
    answered++
    for (const feature of generator.features) answeredFeatures[feature]!++
    const found = reply.rows.map(row => row.map((value, i) => written(value, query.columns[i]!.type)))
    const same =
      reply.status === 200 && JSON.stringify(found.map(String).sort()) === JSON.stringify(expected.map(String).sort())
    if (!same) {
      const views = generator.views.map(view => `${view.ours}; `).join('')
      t.fail(`seed ${seed}, run ${run}, ${zone}: ${views}${query.ours}`, {
        error: reply.body.error,
        params,
        found: found.map(String).sort(),
        expected: expected.map(String).sort(),
        theirs: query.theirs
      })
      return
    }
  }
  t.ok(
    answeredFeatures.every(count => count > 1),
    `features answered: ${answeredFeatures}`
  )
  t.ok(answered > runs / 2, `${answered} of ${runs} statements are such that DuckDB answers them`)
})

/** A time as text, in the clock of one of the zones or in UTC. */
function clockText(random: Random): string {
  const second = firstSecond + random.below(6)
  const offsets = Object.values(zones)
  const offset = offsets[random.below(offsets.length + 1)]
  const text = new Date((second + (offset ?? 0)) * 1000).toISOString().slice(0, 19)
  return offset === undefined ? `'${text}Z'` : `'${text.replace('T', ' ')}'`
}

async function readPlain(
  plain: Awaited<ReturnType<DuckDBInstance['connect']>>,
  { theirs, columns }: Made
): Promise<string[][] | undefined> {
  const list = columns.map((_, i) => `c${i}`).join(', ')
  const shown = columns.map(({ type }, i) => (isTime(type) ? `epoch_ns(c${i})::VARCHAR` : `c${i}::VARCHAR`))
  try {
    const rows = (
      await plain.runAndReadAll(`SELECT ${shown.join(', ')} FROM (${quotedAt(theirs)}) AS w(${list})`)
    ).getRows()
    return rows.map(row =>
      row.map((value, i) => (isTime(columns[i]!.type) ? String(value) : plainText(value, columns[i]!.type)))
    )
  } catch {
    return undefined
  }
}

/** DuckDB takes the name for a keyword. */
function quotedAt(sql: string): string {
  return sql.replace(/\bat\b/g, '"at"')
}

function plainText(value: unknown, type: Type): string {
  return isText(type) || value === null ? String(value) : String(Number(value))
}

function written(value: unknown, type: Type): string {
  if (value === null) return 'null'
  return isTime(type) ? String(BigInt(value as number) * BigInt(1_000_000_000 / units[type])) : plainText(value, type)
}
