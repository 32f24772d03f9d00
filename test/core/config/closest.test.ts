// Suggestions for a misspelled word, and how much looking for one may cost.
import t from 'tap'
import { closest, didYouMean } from '../../../core/config/closest.ts'

t.test('the nearest word is meant, unless none is near', async t => {
  const words = ['visits', 'events', 'metrics']
  t.equal(closest('vists', words), 'visits')
  t.equal(closest('VISITS', words), 'visits')
  t.equal(closest('evnets', words), 'events', 'swapped neighbours are one edit')
  t.equal(closest('traces', words), undefined)
  t.equal(closest('x', ['y']), undefined, 'nothing of the word would be left')
  t.equal(closest('visitsxx', words, 1), undefined)
  t.equal(didYouMean('metric', words), ', did you mean metrics?')
})

t.test('words of any length and number end at once', async t => {
  const long = 'x'.repeat(1_000_000)
  t.equal(closest(long, Array(1000).fill('visits')), undefined, 'each character too many is an edit')
  t.equal(closest(long, [long.slice(1)]), undefined, 'two long ones are not compared')
  const names = Array.from({ length: 100_000 }, (_, i) => `${'n'.repeat(200)}${i}`)
  t.ok(closest(`${'n'.repeat(200)}x`, names), 'of many the first are')
})
