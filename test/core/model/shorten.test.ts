import t from 'tap'
import { shorten } from '../../../core/model/shorten.ts'

t.test('a long text is cut and says so; characters stay whole', async t => {
  t.equal(shorten('abc', 3), 'abc')
  t.equal(shorten('abcd', 3), 'abc…')
  t.equal(shorten('ab😀', 3), 'ab…')
  t.equal(shorten('a😀b', 3), 'a😀…')
  t.equal(shorten('', 3), '')
})
