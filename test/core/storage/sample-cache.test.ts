import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { SampleCache } from '../../../core/storage/embedded/samples/sample-cache.ts'

t.test('entries used last are kept as long as they fit', async t => {
  const looks: string[] = []
  const cache = new SampleCache(100, result => looks.push(result))
  const loaded: string[] = []
  const get = (key: string, bytes: number) =>
    cache.get(key, async () => {
      loaded.push(key)
      return { bytes, key }
    })
  await get('a', 40)
  await get('b', 40)
  t.equal((await get('a', 40)).key, 'a')
  t.equal(cache.bytes, 80)
  await get('c', 40)
  t.equal(cache.bytes, 80, 'b went')
  await get('a', 40)
  await get('b', 40)
  t.same(loaded, ['a', 'b', 'c', 'b'])
  await get('large', 101)
  t.equal(cache.bytes, 80, 'what does not fit at all pushes out nothing')
  t.equal(looks.filter(look => look === 'hit').length, 2)
})

t.test('an entry that many ask for at the same time is loaded once, and again after a failure', async t => {
  const cache = new SampleCache(100)
  let loads = 0
  const load = async () => {
    loads++
    await setImmediate()
    if (loads === 1) throw new Error('the disk is gone')
    return { bytes: 1 }
  }
  const first = [cache.get('a', load), cache.get('a', load)]
  for (const each of first) await t.rejects(each, { message: 'the disk is gone' })
  t.equal(loads, 1)
  await Promise.all([cache.get('a', load), cache.get('a', load)])
  t.equal(loads, 2)
  t.equal(cache.bytes, 1)
})

t.test('entries of a file are dropped with it', async t => {
  const cache = new SampleCache(100)
  for (const key of ['1/7.parquet', '1/7.parquet 0 column 3', '1/77.parquet 0 column 3']) {
    await cache.get(key, async () => ({ bytes: 10 }))
  }
  cache.forget('1/7.parquet')
  t.equal(cache.bytes, 10, 'the other one stays')
})
