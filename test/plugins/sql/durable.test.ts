// Statements about databases, tables, views and flows rely on nothing that is not on the disk.
import t, { type Test } from 'tap'
import { embeddedOnly, startServer } from '../../helpers.ts'
import { askServer } from './fixtures.ts'

function failSyncs(t: Test): void {
  process.env.WEIR_FAULT = 'catalog.sync=EIO'
  t.teardown(() => {
    delete process.env.WEIR_FAULT
  })
}

const columns = '(ts TIMESTAMP(3) TIME INDEX, v DOUBLE)'

/** A change that shows and is not on the disk, and statements that have nothing to do where it is. */
const cases: Readonly<Record<string, readonly [change: string, ...after: string[]]>> = {
  'a table': [
    `CREATE TABLE a ${columns}`,
    `CREATE TABLE IF NOT EXISTS a ${columns}`,
    `CREATE TABLE a ${columns}`,
    'CREATE TABLE IF NOT EXISTS a LIKE base',
    'CREATE TABLE IF NOT EXISTS a AS SELECT * FROM base',
    'ALTER TABLE a ADD COLUMN IF NOT EXISTS v DOUBLE',
    'ALTER TABLE a MODIFY COLUMN v DOUBLE'
  ],
  'a table that was dropped': ['DROP TABLE base', 'DROP TABLE IF EXISTS base', 'DROP TABLE base'],
  'a database': ['CREATE DATABASE d', 'CREATE DATABASE IF NOT EXISTS d', 'CREATE DATABASE d'],
  'a view': [
    'CREATE VIEW w AS SELECT * FROM base',
    'CREATE VIEW IF NOT EXISTS w AS SELECT * FROM base',
    'CREATE OR REPLACE VIEW w AS SELECT * FROM base'
  ],
  'a view that was dropped': ['DROP VIEW seen', 'DROP VIEW IF EXISTS seen']
}

for (const [name, [change, ...after]] of Object.entries(cases))
  t.test(
    `${name} that is not on the disk yet is neither there nor missing for later statements`,
    embeddedOnly,
    async t => {
      // Its catalog takes no changes afterwards.
      const { addresses } = await startServer(t)
      const ask = askServer(addresses.main!)
      t.equal((await ask(`CREATE TABLE base ${columns}; CREATE VIEW seen AS SELECT * FROM base`)).status, 200)
      failSyncs(t)
      const refused = { status: 503, body: { error: /the catalog could not be synced/ } }
      for (const text of [change, ...after]) {
        const answer = await ask(text)
        t.match(answer, refused, text)
        t.equal(answer.headers.get('retry-after'), '30')
      }
      t.equal((await ask('SELECT 1')).status, 200, 'reads go on')
    }
  )
