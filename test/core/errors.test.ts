// Errors: other messages, and their way between threads.
import t from 'tap'
import { DbError, fromPlainError, ItemsError, toPlainError, withMessage } from '../../core/errors.ts'

const full = new DbError('RateLimited', 'later', { status: 503, retryAfter: 7, quotesValues: true, offset: 3 })

t.test('another message keeps status, Retry-After and whether values are quoted, and the original as cause', t => {
  const { code, message, status, retryAfter, quotesValues, offset, cause } = withMessage(full, 'view v: later')
  t.strictSame(
    { code, message, status, retryAfter, quotesValues },
    { code: full.code, message: 'view v: later', status: 503, retryAfter: 7, quotesValues: true }
  )
  t.equal(offset, undefined, 'an offset is of the original text')
  t.equal(withMessage(full, 'else', 5).offset, 5)
  t.equal(cause, full)
  t.end()
})

t.test('errors cross threads with all facts but their cause', t => {
  for (const error of [
    full,
    new DbError('Internal', 'x', { cause: full }),
    new ItemsError([{ index: 1, message: 'a' }])
  ]) {
    const copy = fromPlainError(structuredClone(toPlainError(error)))
    t.equal(copy.constructor, error.constructor)
    t.strictSame(toPlainError(copy), toPlainError(error))
    t.equal(copy.cause, undefined)
  }
  t.end()
})
