// Golden statements that both dialects share: of these files so many cases at least are answered by ClickHouse as by the embedded engine.
// The others say what differs: words of errors, types of counts, functions of one dialect, whole numbers beside times.
import { basename } from 'node:path'
import t from 'tap'
import { goldenFiles, runFile } from '../golden/run.ts'
import { needingClickHouse, startClickHouse } from './server.ts'

t.setTimeout(280_000)

const shared: Readonly<Record<string, number>> = {
  'alter.sql': 81,
  'create.sql': 77,
  'information_schema.sql': 28,
  'insert.sql': 45,
  'last.sql': 28,
  'permission.sql': 35,
  'show.sql': 73,
  'view.sql': 40
}

t.test('over chdb', needingClickHouse(), async t => {
  const { url } = await startClickHouse(t)
  for (const file of goldenFiles()) {
    const name = basename(file)
    const least = shared[name]
    if (least === undefined) continue
    const prefix = `golden_${name.replace('.sql', '')}_`
    const toml = `[storage]\nengine = "clickhouse"\n[storage.clickhouse]\nurls = ["${url}"]\ndatabase_prefix = "${prefix}"\n`
    const results = await runFile(file, toml)
    const passed = results.filter(each => each.passed).length
    const failed = results.filter(each => !each.passed).map(({ golden, actual }) => `${golden.line}: ${actual[0]}`)
    t.ok(passed >= least, `${name}: ${passed} of ${results.length}`, { failed })
  }
})
