import t from 'tap'
import { timed } from '../../../core/storage/timed.ts'

async function* numbers(left: () => void) {
  try {
    yield 1
    yield 2
  } finally {
    left()
  }
}

t.test('items are handed on, and each is timed, the end included', async t => {
  let [times, left] = [0, 0]
  const found: number[] = []
  const source = numbers(() => left++)
  for await (const item of timed(source, ms => (times += ms >= 0 ? 1 : 0))) found.push(item)
  t.strictSame({ found, times, left }, { found: [1, 2], times: 3, left: 1 })
})

t.test('a source is left when its reader leaves, and its errors are told', async t => {
  let left = 0
  for await (const _ of timed(
    numbers(() => left++),
    () => {}
  ))
    break
  t.equal(left, 1)
  let times = 0
  async function* failing(): AsyncGenerator<number> {
    yield 1
    throw new Error('no more')
  }
  const read = async () => {
    for await (const _ of timed(failing(), () => times++));
  }
  await t.rejects(read(), { message: 'no more' })
  t.equal(times, 2)
})
