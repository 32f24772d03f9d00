// What is kept of data files: never more than the limit, and a good part of it where queries look at more than fits.
import fc from 'fast-check'
import t from 'tap'
import { PageCache } from '../../../../core/storage/embedded/read/page-cache.ts'
import { Random } from '../../../process/chaos/random.ts'

t.test('it answers what was read, keeps to its limit and forgets files', t => {
  const look = fc.record({ file: fc.nat(3), page: fc.nat(9), forgets: fc.integer({ min: 0, max: 9 }) })
  fc.assert(
    fc.property(fc.array(look, { maxLength: 80 }), fc.nat(400), fc.nat(), (looks, limit, seed) => {
      const random = new Random(seed)
      const cache = new PageCache<number>(
        limit,
        size => size,
        () => random.next()
      )
      const known = new Map<string, number>()
      for (const { file, page, forgets } of looks) {
        if (forgets === 0) {
          cache.forget(`f${file}`)
          for (const key of known.keys()) if (key.startsWith(`f${file} `)) known.delete(key)
        }
        const size = 10 * (page + 1) + file
        const key = `f${file} ${page}`
        let isRead = false
        const found = cache.get(key, () => {
          isRead = true
          return size
        })
        t.equal(found, size)
        if (!known.has(key)) t.ok(isRead, 'nothing of a forgotten file')
        known.set(key, size)
        t.ok(cache.bytes <= limit)
      }
      for (let file = 0; file < 4; file++) cache.forget(`f${file}`)
      t.equal(cache.bytes, 0)
    })
  )
  t.end()
})

/** Takes a thousand pages; what it picks by chance is the same each time. */
function cacheOfThousand(): PageCache<number> {
  const random = new Random(7)
  return new PageCache(
    1000,
    () => 1,
    () => random.next()
  )
}

/** Pages of a file that are found of those looked at in their order, as often as that. */
function found(cache: PageCache<number>, file: string, pages: number, rounds: number): number {
  for (let round = 0; round < rounds; round++) {
    cache.takeCounts()
    for (let page = 0; page < pages; page++) cache.get(`${file} ${page}`, () => page)
  }
  return cache.takeCounts().hits
}

t.test('of a fifth more than fits, looked at in the same order again and again, a good part is found', t => {
  const cache = cacheOfThousand()
  const hits = found(cache, 'f', 1200, 20)
  t.ok(hits > 300, `${hits} of 1200`)
  t.end()
})

t.test('pages that fit stay cached, whatever was read before', t => {
  const cache = cacheOfThousand()
  found(cache, 'other', 900, 3)
  const hits = found(cache, 'f', 600, 3)
  t.ok(hits > 560, `${hits} of 600 the third time`)
  t.end()
})
