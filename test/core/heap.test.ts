import t from 'tap'
import { createTidy } from '../../core/heap.ts'

const MiB = 2 ** 20

t.test('a heap that has grown is looked through twice as soon as the server rests, and then no more', async t => {
  let size = 50 * MiB
  let collections = 0
  const tidy = createTidy({
    size: () => size,
    collect() {
      collections++
      size = collections === 1 ? 60 * MiB : 52 * MiB
    }
  })
  tidy(0)
  t.equal(collections, 0, 'it has not grown')
  size = 200 * MiB
  tidy(0.9)
  t.equal(collections, 0, 'the server is busy')
  tidy(0.01)
  t.equal(collections, 1)
  tidy(0.01)
  t.equal(collections, 2)
  tidy(0.01)
  size = 60 * MiB
  tidy(0.01)
  t.equal(collections, 2, 'a little more is no reason')
})

t.test('what is needed for good is looked through once', async t => {
  let size = 50 * MiB
  let collections = 0
  const tidy = createTidy({ size: () => size, collect: () => void collections++ })
  size = 300 * MiB
  for (let i = 0; i < 10; i++) tidy(0)
  t.equal(collections, 2)
  size = 310 * MiB
  tidy(0)
  t.equal(collections, 2)
})

t.test('a heap that has become smaller by itself may not grow to what it was before', async t => {
  let size = 300 * MiB
  let collections = 0
  const tidy = createTidy({ size: () => size, collect: () => void collections++ })
  size = 60 * MiB
  tidy(0)
  t.equal(collections, 0)
  size = 290 * MiB
  tidy(0)
  t.equal(collections, 1)
})
