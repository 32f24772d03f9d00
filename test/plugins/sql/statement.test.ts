import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { isDbError } from '../../../core/index.ts'
import { parseStatements } from '../../../plugins/sql/statement/parse.ts'

const words =
  `select insert into values create table database drop show tables describe explain set use admin delete from where with
  time index primary key string timestamp default comment engine ttl if exists not null ( ) , ; . = * ' " \` 'a' "b" 1 1.5 -- /* */ $$ x'0`.split(
    /\s+/
  )
const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 3 })), {
  maxLength: 14
})

t.test('any text sent as SQL is read or refused as the sender’s mistake', async () => {
  const starts = fc.constantFrom('', 'create table t (', 'insert into t values (', 'show ', 'set ', 'drop ', 'admin f(')
  fc.assert(
    fc.property(starts, text, (start, parts) => {
      try {
        parseStatements(start + parts.join(' '))
      } catch (error) {
        assert.ok(isDbError(error) && error.status === 400, String(error))
      }
    }),
    { numRuns: 3000 }
  )
})
