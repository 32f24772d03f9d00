// Checksums of files that cannot be computed just now.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { DbError } from '../../../core/errors.ts'
import type { Table } from '../../../core/model/table.ts'
import type { DataFile } from '../../../core/storage/embedded/catalog/catalog-rows.ts'
import { ContentCheck } from '../../../core/storage/embedded/file/content-check.ts'
import { never, temporaryFolder } from './fixtures.ts'

const table = { database: 'public', name: 'm' } as Table

t.test('a file that cannot be looked at is not damaged: the next query looks again', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'm.parquet'), 'rows')
  const files = [{ path: 'm.parquet', checksum: 7 } as DataFile]
  let looks = 0
  let sum = 7
  const check = new ContentCheck(folder, files, async () => {
    if (++looks === 1) throw new DbError('StorageUnavailable', 'the reading thread failed: out of files')
    return sum
  })
  await t.rejects(check.require(table, files, never), { code: 'StorageUnavailable', message: /out of files/ })
  await check.require(table, files, never)
  await check.require(table, files, never)
  t.equal(looks, 2, 'and once it is verified no query does')

  sum = 8
  const damaged = new ContentCheck(folder, files, async () => sum)
  const refused = { code: 'TableUnavailable', message: /m\.parquet: the file does not match its checksum/ }
  await t.rejects(damaged.require(table, files, never), refused)
  await t.rejects(damaged.require(table, files, never), refused)
})

t.test('a file that is gone needs no look', async t => {
  const files = [{ path: 'gone.parquet', checksum: 7 } as DataFile]
  const check = new ContentCheck(temporaryFolder(t), files, () => Promise.reject(new Error('ENOENT')))
  await check.require(table, files, never)
})
