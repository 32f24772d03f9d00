import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t from 'tap'
import { type Manifest, readManifest, writeManifest } from '../../../core/storage/backup-manifest.ts'
import { restoreBackup } from '../../../core/storage/embedded/backup/restore.ts'
import type { Backup, Engine } from '../../../core/storage/engine.ts'
import { createTable, never, openEngine, put, select, temporaryFolder } from './fixtures.ts'

/** Copies a backup into a folder while `meanwhile` goes on. */
async function copyBackup(engine: Engine, dir: string, meanwhile = async () => {}): Promise<Manifest> {
  let text = ''
  const receive = async (backup: Backup) => {
    text = writeManifest(backup, engine.name, '1.2.3')
    await meanwhile()
    for (const file of backup.files) {
      const chunks: Uint8Array[] = []
      for await (const chunk of backup.read(file, 0)) chunks.push(chunk)
      await mkdir(dirname(join(dir, file.path)), { recursive: true })
      await writeFile(join(dir, file.path), Buffer.concat(chunks))
    }
  }
  const report = await engine.maintain({ kind: 'backup', receive }, never)
  const manifest = readManifest(text, 'manifest.json')
  t.equal(report.files, manifest.files.length)
  return manifest
}

t.test('a backup holds what was answered before it began, whatever happens meanwhile', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'kept')
  const plain = await createTable(engine, 'ä/plain', { append_mode: true }, false)
  for (let i = 0; i < 3; i++) {
    await put(engine, table, [{ host: `h${i}`, at: i, n: i, note: 'first' }])
    await engine.maintain({ kind: 'flush' }, never)
  }
  await put(engine, table, [{ host: 'h0', at: 0, n: 100 }])
  await put(engine, plain, [{ at: 1, n: 1 }])
  const dropped = await createTable(engine, 'dropped')
  await put(engine, dropped, [{ host: 'x', at: 1, n: 1 }])

  const dir = temporaryFolder(t)
  const manifest = await copyBackup(engine, dir, async () => {
    await put(engine, table, [{ host: 'late', at: 9, n: 9 }])
    await engine.maintain({ kind: 'flush' }, never)
    await engine.maintain({ kind: 'compact' }, never)
    await engine.catalog.dropTable(dropped)
  })

  const home = join(temporaryFolder(t), 'new')
  await restoreBackup(manifest, dir, home)
  const restored = await openEngine(t, home)
  const rows = async (name: string) => {
    const found = restored.catalog.table('public', name)!
    const columns = found.tags.length > 0 ? 'host, n' : 'n'
    return select(restored, found, `SELECT ${columns} FROM @ ORDER BY n`)
  }
  t.strictSame(await rows('kept'), [
    ['h1', 1],
    ['h2', 2],
    ['h0', 100]
  ])
  t.strictSame(await rows('ä/plain'), [[1]])
  t.strictSame(await rows('dropped'), [['x', 1]])
  const again = restored.catalog.table('public', 'kept')!
  t.strictSame(again.columns, table.columns)
  await put(restored, again, [{ host: 'h1', at: 1, n: 101 }])
  t.strictSame((await rows('kept')).length, 3, 'a series has the number it had: its rows are overwritten')
})

t.test('a later backup names what has not changed alike', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'kept')
  await put(engine, table, [{ host: 'a', at: 1, n: 1 }])
  const first = await copyBackup(engine, temporaryFolder(t))
  await put(engine, table, [{ host: 'a', at: 2, n: 2 }])
  const second = await copyBackup(engine, temporaryFolder(t))
  const known = new Set(first.files.map(file => JSON.stringify(file)))
  t.strictSame(
    second.files.filter(file => !known.has(JSON.stringify(file))).map(file => file.path.split('/')[0]),
    ['data'],
    'one more data file, the same series'
  )
})

t.test('a restore refuses what is damaged, incomplete or not meant for it', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await createTable(engine, 'kept')
  await put(engine, table, [{ host: 'a', at: 1, n: 1, note: 'some text' }])
  const dir = temporaryFolder(t)
  const manifest = await copyBackup(engine, dir)
  const data = join(dir, manifest.files.find(file => file.path.startsWith('data/'))!.path)
  const whole = await readFile(data)
  const refused = (message: RegExp) =>
    t.rejects(restoreBackup(manifest, dir, join(temporaryFolder(t), 'new')), { message })

  const wrong = Buffer.from(whole)
  wrong[50]! ^= 4
  writeFileSync(data, wrong)
  await refused(/does not match its checksum/)
  writeFileSync(data, whole.subarray(1))
  await refused(/has \d+ bytes, the manifest says \d+/)
  await rename(data, `${data}.part`)
  await refused(/is missing/)
  await rename(`${data}.part`, data)
  writeFileSync(data, whole)
  await t.rejects(restoreBackup(manifest, dir, dir), { message: /is not empty/ })
  await t.rejects(restoreBackup({ ...manifest, engine: 'other' }, dir, join(temporaryFolder(t), 'new')), {
    message: /storage engine other/
  })
  const home = join(temporaryFolder(t), 'new')
  await restoreBackup(manifest, dir, home)
  t.equal((await select(await openEngine(t, home), table, 'SELECT * FROM @')).length, 1)
  rmSync(dir, { recursive: true })
})

t.test('a manifest is damaged when anything in it changes', async t => {
  const file = { path: 'data/a', bytes: 1, checksum: 2 }
  const text = writeManifest({ catalog: { rows: {} }, files: [file] }, 'embedded', '1.2.3')
  t.match(readManifest(text, 'm'), { version: '1.2.3', files: [file] })
  t.throws(() => readManifest(text.replace('data/a', 'data/b'), 'm'), {
    message: 'm: the manifest does not match its checksum'
  })
  t.throws(() => readManifest(text.slice(0, -4), 'm'), { message: /not JSON/ })
  for (const path of ['../a', '/a', 'a//b', 'data/..']) {
    const stray = writeManifest({ catalog: {}, files: [{ ...file, path }] }, 'embedded', '1')
    t.throws(() => readManifest(stray, 'm'), { message: /leads out of the backup/ }, path)
  }
})
