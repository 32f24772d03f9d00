// The contract that every storage driver must keep, whatever it stores its data in.
import type { Engine } from '../../core/storage/engine.ts'
import { alterCases } from './engine/alter.ts'
import { catalogCases } from './engine/catalog.ts'
import { followCases } from './engine/follow.ts'
import { lifeCases } from './engine/life.ts'
import { queryCases } from './engine/queries.ts'
import { sampleCases } from './engine/samples.ts'
import { seriesCases } from './engine/series.ts'
import { tableCases } from './engine/tables.ts'
import { type Case, type EngineContract, type EngineTest, Trial } from './engine/trial.ts'
import { typeCases } from './engine/types.ts'
import { upkeepCases } from './engine/upkeep.ts'
import { versionCases } from './engine/versions.ts'
import { writeCases } from './engine/writes.ts'

export type { EngineContract, EngineTest } from './engine/trial.ts'

const cases = [
  ...typeCases,
  ...writeCases,
  ...versionCases,
  ...tableCases,
  ...alterCases,
  ...catalogCases,
  ...queryCases,
  ...followCases,
  ...seriesCases,
  ...sampleCases,
  ...upkeepCases,
  ...lifeCases
]

/** Runs the contract as subtests of `t`, one engine each; resolves when they are done. What `supports` denies is skipped and says why. */
export async function engineContract(t: EngineTest, contract: EngineContract): Promise<void> {
  const probe = new Trial(contract)
  const { name, supports } = await probe.start()
  await probe.end()
  for (const each of cases) {
    const skip = reasonToSkip(each, supports)
    await t.test(`${name}: ${each.name}`, skip === undefined ? {} : { skip }, async t => {
      const trial = new Trial(contract)
      await trial.start()
      try {
        await each.run(t, trial)
      } finally {
        await trial.end()
      }
    })
  }
}

function reasonToSkip({ needs }: Case, supports: Engine['supports']): string | undefined {
  if (needs === 'sql' && !supports.sql) return 'the driver answers no SQL'
  if ((needs === 'durable' || needs === 'folder') && !supports.durable) return 'the driver keeps nothing'
  if (needs === 'folder' && supports.distributed) return 'the driver keeps its data elsewhere than in the folder'
  if (needs === 'buffer' && supports.distributed) return 'rows that nobody reads on wait where they are'
  return undefined
}
