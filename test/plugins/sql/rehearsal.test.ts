import type { Test } from 'tap'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin, type Rehearsal } from '../../../core/index.ts'
import { createRehearsals } from '../../../plugins/sql/rehearsal.ts'
import { startServer } from '../../helpers.ts'
import { askServer } from './fixtures.ts'

/** A server, and what it would ask of itself; its own does nothing in tests. */
async function rehearsing(t: Test) {
  let rehearsal: Rehearsal | undefined
  const plugin = definePlugin({
    name: 'watching',
    prefix: '',
    servers: ['main'],
    config: Type.Object({}),
    setup(core) {
      ;[rehearsal] = createRehearsals(core, 500)
    }
  })
  const server = await startServer(t, '', { plugins: [plugin] })
  const answers = async (turns: number) => {
    const rows: unknown[][] = []
    for (let turn = 0; turn < turns; turn++) {
      const answer = await server.main.inject((await rehearsal!.path(turn))!)
      t.equal(answer.statusCode, 200, answer.body)
      t.ok(answer.headers['content-length'], 'it is known how long it is')
      rows.push(answer.json().output[0].records.rows)
    }
    return rows
  }
  return { ask: askServer(server.addresses.main!), answers }
}

t.test('without a table, statements are about made-up rows', async t => {
  const { answers } = await rehearsing(t)
  for (const rows of await answers(2)) t.strictSame(rows, [[1704067200000000, 1.5]])
})

t.test('a table with tags is asked about an hour of one of its series', async t => {
  const { ask, answers } = await rehearsing(t)
  await ask(`CREATE TABLE plain (n BIGINT, at TIMESTAMP(3) TIME INDEX);
    CREATE TABLE load (host STRING, "a b" DOUBLE, n BIGINT, note STRING, at TIMESTAMP(3) TIME INDEX, PRIMARY KEY (host));
    INSERT INTO load VALUES ('it''s', 1, 2, 'x', 0), ('it''s', 3, 1, 'y', 59000), ('it''s', 2, 5, 'z', 60000), ('it''s', 9, 9, 'z', 3600000);
    ADMIN flush_table('load')`)
  const [one, several, every] = await answers(3)
  t.strictSame(one, [
    [0, 3],
    [60000000, 2]
  ])
  t.strictSame(several, [
    [0, 3, 2],
    [60000000, 2, 5]
  ])
  t.equal(every!.length, 3)
})
