// Which index sidecars are made, and for which version of a table.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSound } from '../../../../core/storage/embedded/index/sidecar.ts'
import { temporaryFolder } from '../../../helpers.ts'
import { never, openEngine, text, times } from '../fixtures.ts'

t.test('a table that was changed since somebody asked for its indexes gets those it has by now', async t => {
  const dir = temporaryFolder(t)
  const engine = await openEngine(t, dir)
  const note = { name: 'note', type: 'String', semantic: 'field', nullable: true } as const
  const before = await engine.catalog.createTable({
    database: 'public',
    name: 'logs',
    columns: [{ name: 'at', type: 'TimestampMillisecond', semantic: 'timestamp', nullable: false }, note],
    options: { append_mode: true }
  })
  await engine.write(
    [{ table: before, rows: 2, columns: [times('at', [1, 2]), text('note', ['a', 'b'])], op: 'put' }],
    never
  )
  const definition = { ...note, index: { kind: 'fulltext', options: {} } } as const
  await engine.catalog.changeTable(before, { kind: 'modify_column', name: 'note', definition })
  await engine.maintain({ kind: 'flush', table: before }, never)
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.idx'))
  t.equal(found.length, 1)
  const head = await readSound(join(dir, found[0]!.replace(/\.idx$/, '')))
  t.strictSame(
    head?.sections.map(({ kind }) => kind),
    ['folded_terms']
  )
})
