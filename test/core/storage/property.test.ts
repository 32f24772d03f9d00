import fc from 'fast-check'
import t from 'tap'
import type { TableOptions } from '../../../core/model/table.ts'
import { cases } from '../../property.ts'
import { ForcedPaths, makeEngine, temporaryFolder } from './fixtures.ts'
import { History } from './history.ts'
import { columnSteps, type Step, steps, type TableSpec } from './steps.ts'

const paths = new ForcedPaths()

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
    const play = async (other: TableSpec, steps: readonly Step[]) => {
      const history = await History.start([spec, other], () => temporaryFolder(t), open)
      try {
        for (const step of [...steps, { do: 'read' } as const, { do: 'restart' } as const, { do: 'read' } as const]) {
          await history.take(step)
          if (step.do !== 'read') continue
          report('column', await history.differenceByColumn())
          for (const path of paths.each()) report(path, await history.difference())
        }
        report('the files', await history.differenceInFiles())
      } finally {
        await history.close()
      }
    }
    const details = await fc.check(fc.asyncProperty(neighbour, taken, play), cases(2))
    const { failed, seed, counterexamplePath, counterexample, errorInstance } = details
    const found = { seed, path: counterexamplePath, counterexample: fc.stringify(counterexample), error: errorInstance }
    if (failed) t.fail(`seed ${seed}, path ${counterexamplePath}: ${errorInstance}`, found)
  })
}

function report(path: string, difference: Awaited<ReturnType<History['difference']>>): void {
  if (difference === undefined) return
  const { table, found, wanted } = difference
  throw new Error(`${table}, read by ${path}, holds\n${found}\ninstead of\n${wanted}`)
}

async function open(folder: string) {
  const engine = makeEngine(folder, { sync: 'none', limits: paths.limits })
  await engine.open()
  return engine
}
