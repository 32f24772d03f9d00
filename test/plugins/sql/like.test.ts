import fc from 'fast-check'
import t from 'tap'
import { likePattern } from '../../../plugins/sql/catalog/like.ts'

t.test('% is any text, _ one character, all else itself', async t => {
  const cases: [string, string, boolean][] = [
    ['', '', true],
    ['', 'a', false],
    ['%', '', true],
    ['%%', 'anything', true],
    ['a', 'A', false],
    ['a_c', 'abc', true],
    ['a_c', 'ac', false],
    ['_', '😀', true],
    ['a%b%c', 'a-b-b-c', true],
    ['a%a', 'a', false],
    ['%ab', 'aab', true],
    ['%aab%', 'aaab', true],
    ['.*', 'xx', false],
    ['a\nb%', 'a\nb\nc', true]
  ]
  for (const [pattern, text, expected] of cases)
    t.equal(likePattern(pattern)(text), expected, `${text} LIKE ${pattern}`)
})

t.test('it finds what trying every way finds', async t => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '%'), maxLength: 8 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      const tried = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su')
      return likePattern(pattern)(text) === tried.test(text)
    }),
    { numRuns: 20_000 }
  )
  t.pass()
})

t.test('the longest names and hostile patterns end', async t => {
  const name = 'a'.repeat(255)
  for (const pattern of ['%_'.repeat(1e5), `${'%_'.repeat(200)}b`, `%${'a'.repeat(120)}b%`, 'a%'.repeat(250)]) {
    const matches = likePattern(pattern)
    for (let i = 0; i < 100; i++) matches(name)
  }
  t.pass()
})
