import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { DbError } from '../../../core/errors.ts'
import { eachTable } from '../../../core/storage/embedded/each-table.ts'

const aboutRows = (table: number) => new DbError('InvalidArguments', `rows of ${table}`)
const failed = (_: number, cause: DbError) => cause

t.test(
  'the work of several tables runs at the same time, of no more than are allowed, and begins in their order',
  async t => {
    const [begun, ended]: number[][] = [[], []]
    let most = 0
    const work = async (table: number) => {
      begun!.push(table)
      most = Math.max(most, begun!.length - ended!.length)
      for (let i = 0; i <= table % 3; i++) await setImmediate()
      ended!.push(table)
    }
    const tables = Array.from({ length: 50 }, (_, i) => i)
    t.strictSame(await eachTable(tables, work, failed, 4), [])
    t.strictSame(begun, tables)
    t.strictSame(
      ended!.toSorted((a, b) => a - b),
      tables
    )
    t.equal(most, 4)
  }
)

t.test(
  'errors about rows of a table stop no other; any other begins no more and is thrown when nothing runs',
  async t => {
    let running = 0
    const begun: number[] = []
    const work = async (table: number) => {
      begun.push(table)
      running++
      await setImmediate()
      if (table % 2 === 0) await setImmediate()
      running--
      if (table === 3) throw aboutRows(table)
      if (table === 11) throw new Error('the disk is gone')
    }
    const some = Array.from({ length: 10 }, (_, i) => i)
    t.match(await eachTable(some, work, failed, 3), [{ message: 'rows of 3' }])
    t.strictSame(begun, some)
    const all = Array.from({ length: 100 }, (_, i) => i + 10)
    await t.rejects(eachTable(all, work, failed, 3), { message: 'the disk is gone' })
    t.equal(running, 0)
    t.ok(begun.length < 20, `${begun.length} begun`)
  }
)
