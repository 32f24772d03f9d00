import pino from 'pino'
import t from 'tap'
import { createMetrics } from '../../../core/metrics/metrics.ts'
import { createEmbeddedEngine } from '../../../core/storage/embedded/engine.ts'
import { createTable, put, select, settingsOf, temporaryFolder } from './fixtures.ts'

t.test(
  'writes that wait for the log count as rows in memory: beyond the limit others wait before they are logged',
  async t => {
    const metrics = createMetrics()
    const settings = settingsOf(temporaryFolder(t), { memtable_size: 2 ** 18, memtable_limit: 2 ** 20 })
    const engine = createEmbeddedEngine(settings, pino({ level: 'silent' }), metrics)
    await engine.open()
    t.teardown(() => engine.close())
    const table = await createTable(engine, 'notes', { append_mode: true })
    const note = 'x'.repeat(100_000)
    await Promise.all(Array.from({ length: 60 }, (_, at) => put(engine, table, [{ at, n: at, note }])))
    t.same(await select(engine, table, 'SELECT count(*), count(DISTINCT n), sum(length(note)) FROM @'), [
      [60, 60, 6_000_000]
    ])
    const stalls = Number(/^svc_storage_write_stalls_total (\d+)/m.exec(await metrics.expose())?.[1])
    t.ok(stalls >= 40, `${stalls} of 60 waited`)
  }
)
