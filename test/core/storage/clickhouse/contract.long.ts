// The driver for ClickHouse keeps the contract of every storage driver.
import { basename } from 'node:path'
import t from 'tap'
import { needingClickHouse, startClickHouse } from '../../../clickhouse/server.ts'
import { engineContract } from '../../../contract/engine.ts'
import { makeClickHouseEngine } from './fixtures.ts'

t.setTimeout(280_000)

t.test('over chdb', needingClickHouse(), async t => {
  const server = await startClickHouse(t)

  await engineContract(t, {
    // 1900 to 2299, as `Date32` has them.
    dates: [-25_567, 120_530],
    narrow: "accurateCast(n, 'Int8')",
    nineIsMidnight: "toDateTime('1970-01-02 09:00:00') = toDateTime('1970-01-02 00:00:00', 'UTC')",
    async open(folder) {
      const prefix = `${basename(folder).replaceAll(/[^A-Za-z0-9]/g, '_')}_`
      const engine = makeClickHouseEngine({ urls: [server.url], username: server.username, database_prefix: prefix })
      await engine.open()
      return engine
    }
  })
})
