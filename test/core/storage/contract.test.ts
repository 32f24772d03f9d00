import t from 'tap'
import { engineContract } from '../../contract/engine.ts'
import { makeEngine } from './fixtures.ts'

await engineContract(t, {
  async open(folder) {
    const engine = makeEngine(folder)
    await engine.open()
    return engine
  }
})
