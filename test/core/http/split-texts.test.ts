// Long texts of routes are sent in pieces, and arrive as they were.
import Fastify from 'fastify'
import t from 'tap'
import { splitTexts } from '../../../core/http/split-texts.ts'

t.test('a long text arrives whole, wherever it is cut', async t => {
  const app = Fastify()
  splitTexts(app)
  t.teardown(() => app.close())
  // The second has a character of two halves across the end of each piece, the third one that has lost a half.
  const texts = [
    'x',
    'é'.repeat(300_000),
    `a${'😀'.repeat(300_000)}`,
    `${'a'.repeat(65_535)}\ud83d${'b'.repeat(300_000)}`
  ]
  for (const [i, text] of texts.entries()) app.get(`/${i}`, () => text)
  for (const [i, text] of texts.entries()) {
    const answer = await app.inject(`/${i}`)
    t.equal(answer.body === text.toWellFormed(), true)
    t.equal(answer.headers['content-length'], i === 0 ? '1' : undefined)
  }
  const head = await app.inject({ method: 'HEAD', url: '/1' })
  t.equal(head.headers['content-length'], '600000')
  t.equal(head.body, '')
})
