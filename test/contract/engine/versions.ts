// Contract cases: which version of a row counts, by the options of the table, wherever the versions are stored.
import type { TableOptions } from '../../../core/model/table.ts'
import { type Cell, linesOf, put, type Row, remove, wanted } from './rows.ts'
import { type Case, createVisits, type EngineTest, type Trial } from './trial.ts'

type Step = { readonly put: readonly Row[] } | { readonly delete: readonly Row[] }

/** Takes the steps in a table of its own for each way the versions may lie: all in memory, all in one file each, half and half. */
async function everywhere(
  t: EngineTest,
  trial: Trial,
  options: TableOptions,
  steps: readonly Step[],
  expected: readonly (readonly Cell[])[]
): Promise<void> {
  const places = { memory: 0, files: steps.length, both: Math.ceil(steps.length / 2) }
  for (const [place, flushes] of Object.entries(places)) {
    const table = await createVisits(trial.engine, place, options)
    for (const [i, step] of steps.entries()) {
      if ('put' in step) await put(trial.engine, table, ...step.put)
      else await remove(trial.engine, table, ...step.delete)
      if (i < flushes) await trial.flush(table)
    }
    t.equal(await linesOf(trial.engine, place), wanted(...expected), `versions in ${place}`)
  }
  await trial.reopen()
  for (const place of Object.keys(places)) {
    t.equal(await linesOf(trial.engine, place), wanted(...expected), `versions in ${place}, reopened`)
  }
}

const appended: Case = {
  name: 'append_mode keeps every row, equal ones too',
  async run(t, trial) {
    const row = { host: 'a', at: 1n, n: 1n }
    const cells = ['a', 1n, 1n, null]
    await everywhere(t, trial, { append_mode: true }, [{ put: [row, row] }, { put: [row] }], [cells, cells, cells])
  }
}

const versions: readonly Step[] = [
  {
    put: [
      { host: 'a', at: 1n, n: 1n, note: 'first' },
      { host: 'b', at: 1n, n: 1n },
      { at: 1n, n: 1n, note: 'no host' },
      { host: '', at: 1n, note: 'empty host' }
    ]
  },
  {
    put: [
      { host: 'a', at: 1n, note: 'second' },
      { host: 'b', at: 2n, n: 2n },
      { at: 1n, n: 2n }
    ]
  },
  { put: [{ host: 'b', at: 1n, note: 'second' }] }
]

const lastRow: Case = {
  name: 'without options and with merge_mode last_row the newest row of a series and time counts, its nulls too',
  async run(t, trial) {
    const expected = [
      ['a', 1n, null, 'second'],
      ['b', 1n, null, 'second'],
      ['b', 2n, 2n, null],
      [null, 1n, 2n, null],
      ['', 1n, null, 'empty host']
    ]
    await everywhere(t, trial, {}, versions, expected)
    for (const table of trial.engine.catalog.tables('public')) await trial.engine.catalog.dropTable(table)
    await everywhere(t, trial, { merge_mode: 'last_row' }, versions, expected)
  }
}

const lastNonNull: Case = {
  name: 'merge_mode last_non_null takes the newest value of each field',
  run: (t, trial) =>
    everywhere(t, trial, { merge_mode: 'last_non_null' }, versions, [
      ['a', 1n, 1n, 'second'],
      ['b', 1n, 1n, 'second'],
      ['b', 2n, 2n, null],
      [null, 1n, 2n, 'no host'],
      ['', 1n, null, 'empty host']
    ])
}

const deletes: readonly Step[] = [
  ...versions,
  { delete: [{ host: 'a', at: 1n }, { at: 1n }, { host: 'nobody', at: 1n }] },
  { put: [{ host: 'a', at: 1n, n: 9n }] },
  { delete: [{ host: '', at: 1n }] }
]

const deleted: Case = {
  name: 'a delete by key hides the row until it is put again',
  async run(t, trial) {
    const newest = [
      ['a', 1n, 9n, null],
      ['b', 2n, 2n, null]
    ]
    await everywhere(t, trial, {}, deletes, [...newest, ['b', 1n, null, 'second']])
    for (const table of trial.engine.catalog.tables('public')) await trial.engine.catalog.dropTable(table)
    const merged = [...newest, ['b', 1n, 1n, 'second']]
    await everywhere(t, trial, { merge_mode: 'last_non_null' }, deletes, merged)
  }
}

export const versionCases: readonly Case[] = [appended, lastRow, lastNonNull, deleted]
