import fc from 'fast-check'
import t from 'tap'
import type { TableOptions } from '../../../core/model/table.ts'
import { makeEngine, temporaryFolder } from './fixtures.ts'
import { History } from './history.ts'
import { columnSteps, type Step, steps, type TableSpec } from './steps.ts'

// WEIR_PROPERTY_RUNS raises the number of histories; seed and path of a failure replay it.
const { WEIR_PROPERTY_RUNS: runs, WEIR_PROPERTY_SEED: seed, WEIR_PROPERTY_PATH: path } = process.env
const parameters: fc.Parameters<[TableSpec, Step[]]> = {
  numRuns: Number(runs ?? 12),
  ...(runs === undefined && { interruptAfterTimeLimit: 1_000 }),
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(path !== undefined && { path })
}

const modes: Readonly<Record<string, TableOptions>> = {
  append_mode: { append_mode: true },
  last_row: { merge_mode: 'last_row' },
  last_non_null: { merge_mode: 'last_non_null' }
}

/** The other table of a history: any options, rows outside the log too. */
const anyNeighbour: fc.Arbitrary<TableSpec> = fc.record({
  options: fc
    .tuple(fc.constantFrom(...Object.values(modes)), fc.boolean())
    .map(([mode, skip_wal]) => ({ ...mode, ...(skip_wal && { skip_wal }) })),
  tags: fc.nat(2)
})

for (const [mode, options] of Object.entries(modes)) {
  check(`columns of a table with ${mode}`, { options, tags: 1 }, anyNeighbour, columnSteps)
  for (const tags of [0, 2]) {
    check(`a table with ${mode} and ${tags} tags`, { options, tags }, anyNeighbour)
  }
  for (const skip_wal of [false, true]) {
    const logical = { ...options, physical_table: 'shared', ...(skip_wal && { skip_wal }) }
    const neighbour = fc.record({ options: fc.constant(logical), tags: fc.nat(2) })
    check(`a logical table with ${mode}${skip_wal ? ' outside the log' : ''}`, { options: logical, tags: 1 }, neighbour)
  }
}

function check(
  what: string,
  spec: TableSpec,
  neighbour: fc.Arbitrary<TableSpec>,
  taken: fc.Arbitrary<Step[]> = steps
): void {
  t.test(`any history of ${what} answers as the model does`, async t => {
    const property = fc.asyncProperty(neighbour, taken, async (other, steps) => {
      const history = await History.start([spec, other], () => temporaryFolder(t), open)
      try {
        for (const step of [...steps, { do: 'read' } as const, { do: 'restart' } as const, { do: 'read' } as const]) {
          await history.take(step)
          if (step.do === 'read') report(await history.difference())
        }
        report(await history.differenceInFiles())
      } finally {
        await history.close()
      }
    })
    let details = await fc.check(property, parameters)
    // A busy machine may not end one in time: then one takes as long as it takes.
    if (details.failed && details.counterexample === null) details = await fc.check(property, { numRuns: 1 })
    const { failed, seed, counterexamplePath, counterexample, errorInstance } = details
    const found = { seed, path: counterexamplePath, counterexample: fc.stringify(counterexample), error: errorInstance }
    if (failed) t.fail(`seed ${seed}, path ${counterexamplePath}: ${errorInstance}`, found)
  })
}

function report(difference: Awaited<ReturnType<History['difference']>>): void {
  if (difference === undefined) return
  const { table, found, wanted } = difference
  throw new Error(`${table} holds\n${found}\ninstead of\n${wanted}`)
}

async function open(folder: string) {
  const engine = makeEngine(folder, { sync: 'none' })
  await engine.open()
  return engine
}
