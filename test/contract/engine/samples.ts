// Contract cases: series queries, which select series by tags and return samples.
import type { Table, TableDefinition } from '../../../core/model/table.ts'
import type { Engine, SeriesQuery, TagMatch } from '../../../core/storage/engine.ts'
import { never, put, remove, tableNamed } from './rows.ts'
import { type Case, columns, createVisits, failure, type Trial } from './trial.ts'

const is = (column: string, value: string): TagMatch => ({ column, test: found => found === value, equals: value })
const like = (column: string, pattern: RegExp): TagMatch => ({ column, test: found => pattern.test(found) })

type Asked = Partial<Omit<SeriesQuery, 'kind' | 'table'>>

/** Series by their labels, each with its samples in the order they came: `host=a 1:5 2:6`; of several tables with their names before. */
async function samplesOf(engine: Engine, name: string, asked: Asked = {}): Promise<string> {
  const { matches = [], values = ['n'], ...rest } = asked
  const [table, ...others] = name.split(' ').map(each => tableNamed(engine, each)) as [Table, ...Table[]]
  const result = await engine.query({ kind: 'series', table, others, matches, values, ...rest }, never)
  const found = new Map<number, string[]>()
  for await (const { rows, columns } of result.batches()) {
    for (let row = 0; row < rows; row++) {
      const id = columns[0]!.values[row] as number
      const cells = columns.slice(2).map(({ values, valid }) => {
        const isThere = valid === undefined || (valid[row >> 3]! & (1 << (row & 7))) !== 0
        return isThere ? String(values[row] ?? '_') : '_'
      })
      const points = found.get(id) ?? []
      if (columns.length > 1) points.push(`${columns[1]!.values[row]}:${cells.join('/')}`)
      found.set(id, points)
    }
  }
  const lines = [...found].map(([id, points]) => {
    const { table, names, values } = result.labels!(id)
    const labels = names.map((name, i) => `${name}=${values[i]}`)
    return [...(others.length > 0 ? [table.name] : []), labels.join(','), ...points.sort(byTime)].join(' ')
  })
  return lines.sort().join(' | ')
}

function byTime(a: string, b: string): number {
  return Number.parseFloat(a) - Number.parseFloat(b)
}

const selected: Case = {
  name: 'a series query gives the samples of the series whose tags pass, between two times, wherever they lie',
  async run(t, trial) {
    const { engine } = trial
    const visits = await createVisits(engine, 'visits')
    await put(engine, visits, { host: 'a', at: 1n, n: 1n }, { host: 'b', at: 1n, n: 2n }, { at: 1n, n: 3n })
    await trial.flush()
    await put(engine, visits, { host: 'a', at: 3n, n: 4n }, { host: 'c', at: -5n, n: 5n })
    await trial.flush()
    await put(engine, visits, { host: 'a', at: 2n, n: 6n }, { host: 'b', at: 9n })
    const ask = (asked: Asked) => samplesOf(engine, 'visits', asked)
    t.equal(await ask({}), ' 1:3 | host=a 1:1 2:6 3:4 | host=b 1:2 | host=c -5:5', 'all, but samples without a value')
    t.equal(await ask({ matches: [is('host', 'a')] }), 'host=a 1:1 2:6 3:4', 'one')
    t.equal(await ask({ matches: [like('host', /^[bc]$/)] }), 'host=b 1:2 | host=c -5:5', 'two')
    t.equal(await ask({ matches: [is('host', '')] }), ' 1:3', 'an absent tag is an empty one')
    t.equal(await ask({ matches: [is('zone', '')] }), await ask({}), 'so is a tag the table does not have')
    t.equal(await ask({ matches: [is('zone', 'x')] }), '', 'which has no other value')
    t.equal(await ask({ matches: [is('host', 'a'), like('host', /b/)] }), '', 'all tests must pass')
    t.equal(await ask({ from: 1n, to: 3n }), ' 1:3 | host=a 1:1 2:6 | host=b 1:2', 'the end is not part of the time')
    t.equal(await ask({ from: 4n, distinct: true, values: [] }), 'host=b', 'which series there are')
    t.equal(await ask({ values: ['n', 'note'], matches: [is('host', 'b')] }), 'host=b 1:2/_', 'several values')
  }
}

const plain: Case = {
  name: 'tags may be numbers, and a table without tags is one series',
  async run(t, trial) {
    const { engine } = trial
    const create = (name: string, ...words: string[]) =>
      engine.catalog.createTable({
        database: 'public',
        name,
        columns: columns(...words, 'time at TimestampNanosecond', 'field n Int64'),
        options: {}
      })
    const codes = await create('codes', 'tag code Int32', 'tag ok Boolean')
    await put(engine, codes, { code: 404, ok: false, at: 1n, n: 1n }, { code: -1, at: 1n, n: 2n })
    const none = await create('none')
    await put(engine, none, { at: 1n, n: 1n }, { at: 2n, n: 2n })
    const check = async (when: string) => {
      t.equal(await samplesOf(engine, 'codes'), 'code=-1 1:2 | code=404,ok=false 1:1', `labels ${when}`)
      t.equal(await samplesOf(engine, 'codes', { matches: [is('code', '-1')] }), 'code=-1 1:2', `a number ${when}`)
      t.equal(await samplesOf(engine, 'none'), ' 1:1 2:2', `no tags ${when}`)
      t.equal(await samplesOf(engine, 'none', { distinct: true, values: [] }), '', `one series ${when}`)
      t.equal(await samplesOf(engine, 'none', { matches: [is('host', 'a')] }), '', `which has no labels ${when}`)
    }
    await check('in memory')
    await put(engine, none, { at: 2n, n: 3n })
    t.equal(await samplesOf(engine, 'none'), ' 1:1 2:3', 'the last of a time')
    await put(engine, none, { at: 2n, n: 2n })
    await trial.flush()
    await check('in files')
  }
}

const newest: Case = {
  name: 'a series query sees the last of a series and time, and nothing that was deleted',
  async run(t, trial) {
    const { engine } = trial
    const visits = await createVisits(engine, 'visits')
    await put(engine, visits, { host: 'a', at: 1n, n: 1n }, { host: 'a', at: 2n, n: 2n }, { host: 'b', at: 1n, n: 3n })
    await trial.flush()
    await put(engine, visits, { host: 'a', at: 1n, n: 10n })
    t.equal(await samplesOf(engine, 'visits'), 'host=a 1:10 2:2 | host=b 1:3', 'one is overwritten')
    await remove(engine, visits, { host: 'a', at: 1n }, { host: 'b', at: 1n })
    t.equal(await samplesOf(engine, 'visits'), 'host=a 2:2', 'two are deleted')
    const there = { distinct: true, values: [] }
    t.equal(await samplesOf(engine, 'visits', there), 'host=a', 'a series without rows is none')
    await trial.flush()
    await engine.maintain({ kind: 'compact', table: visits }, never)
    t.equal(await samplesOf(engine, 'visits'), 'host=a 2:2', 'also after files are merged')
  }
}

async function createMetric(trial: Trial, name: string, ...tags: string[]) {
  const definition: TableDefinition = {
    database: 'public',
    name,
    columns: columns(...tags.map(tag => `tag ${tag} String`), 'time at TimestampMillisecond', 'field n Float64'),
    options: { physical_table: 'metrics' }
  }
  return trial.engine.catalog.createTable(definition)
}

const logical: Case = {
  name: 'series of logical tables stay apart, over flushes, restarts and columns that come later',
  needs: 'durable',
  async run(t, trial) {
    const one = await createMetric(trial, 'one', 'host')
    const two = await createMetric(trial, 'two', 'host', 'zone')
    await put(trial.engine, one, { host: 'a', at: 1n, n: 1.5 }, { host: 'b', at: 1n, n: 2 })
    await put(trial.engine, two, { host: 'a', zone: 'z', at: 1n, n: 3 }, { host: 'a', at: 2n, n: 4 })
    const check = async (when: string) => {
      t.equal(await samplesOf(trial.engine, 'one'), 'host=a 1:1.5 | host=b 1:2', `one ${when}`)
      t.equal(await samplesOf(trial.engine, 'two'), 'host=a 2:4 | host=a,zone=z 1:3', `two ${when}`)
      const matches = [is('zone', 'z')]
      t.equal(await samplesOf(trial.engine, 'two', { matches }), 'host=a,zone=z 1:3', `one series of two ${when}`)
      const both = (asked: Asked) => samplesOf(trial.engine, 'two one', asked)
      const all = 'one host=a 1:1.5 | one host=b 1:2 | two host=a 2:4 | two host=a,zone=z 1:3'
      t.equal(await both({}), all, `both at once ${when}`)
      t.equal(await both({ matches: [is('zone', '')], to: 2n }), 'one host=a 1:1.5 | one host=b 1:2', `some ${when}`)
      t.equal(await both({ matches, distinct: true, values: [] }), 'two host=a,zone=z', `one of both ${when}`)
    }
    await check('in memory')
    await trial.flush()
    await check('in files')
    await trial.reopen()
    await check('after a restart')
    const table = tableNamed(trial.engine, 'one')
    const change = { kind: 'add_columns', columns: columns('tag rack String') } as const
    const wider = await trial.engine.catalog.changeTable(table, change)
    await put(trial.engine, wider, { host: 'a', rack: 'r', at: 5n, n: 5 })
    t.equal(
      await samplesOf(trial.engine, 'one', { matches: [is('rack', '')] }),
      'host=a 1:1.5 | host=b 1:2',
      'older series have no value of a new tag'
    )
    t.equal(await samplesOf(trial.engine, 'one', { matches: [is('rack', 'r')] }), 'host=a,rack=r 5:5', 'newer ones do')
    const matches = [is('host', 'a')]
    const mixed = 'one host=a 1:1.5 | one host=a,rack=r 5:5 | two host=a 2:4 | two host=a,zone=z 1:3'
    t.equal(await samplesOf(trial.engine, 'one two', { matches }), mixed, 'both at once, in files and memory')
  }
}

const ended: Case = {
  name: 'a series query whose signal has fired ends with the code Cancelled',
  async run(t, { engine }) {
    const table = await createVisits(engine, 'visits')
    await put(engine, table, { host: 'a', at: 1n, n: 1n })
    const query: SeriesQuery = { kind: 'series', table, matches: [], values: ['n'] }
    const error = await failure(() => engine.query(query, AbortSignal.abort()))
    t.equal(error?.code, 'Cancelled', 'it says so')
  }
}

export const sampleCases: readonly Case[] = [selected, plain, newest, logical, ended]
