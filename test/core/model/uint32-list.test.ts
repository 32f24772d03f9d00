import t from 'tap'
import { Uint32List } from '../../../core/model/uint32-list.ts'

t.test('a list grows beyond its capacity, and views of it stay as they are', async t => {
  const list = new Uint32List(2)
  t.strictSame([...list.view()], [])
  for (const value of [7, 0xffffffff]) list.push(value)
  const before = list.view()
  for (let i = 0; i < 10; i++) list.push(i)
  t.strictSame([...before], [7, 0xffffffff])
  t.strictSame([...list.view()], [7, 0xffffffff, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})
