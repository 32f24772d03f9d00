// Labels of series that were told once are not asked for again, and come by name ascending.
import t from 'tap'
import { KnownLabels } from '../../../../core/storage/clickhouse/labels.ts'

const table = { id: 7 }

/** What the cluster has, and what it was asked for. */
function cluster(stored: ReadonlyMap<bigint, Readonly<Record<string, string>>>) {
  const asked: bigint[][] = []
  const load: Parameters<KnownLabels['of']>[2] = async (missing, put) => {
    asked.push([...missing])
    for (const tsid of missing) {
      const labels = stored.get(tsid)
      if (labels !== undefined) put(tsid, Object.keys(labels), Object.values(labels))
    }
  }
  return { asked, load }
}

t.test('known labels are not asked for again, and series with the same names share them', async t => {
  const { asked, load } = cluster(
    new Map([
      [1n, { zone: 'z', host: 'a' }],
      [2n, { host: 'b', zone: 'z' }],
      [3n, {}]
    ])
  )
  const labels = new KnownLabels()
  const first = await labels.of(table, [1n, 2n], load)
  t.strictSame(first.get(1n), { names: ['host', 'zone'], values: ['a', 'z'] })
  t.strictSame(first.get(2n), { names: ['host', 'zone'], values: ['b', 'z'] })
  t.equal(first.get(1n)!.names, first.get(2n)!.names)
  const second = await labels.of(table, [1n, 2n, 3n, 4n], load)
  t.strictSame(second.get(3n), { names: [], values: [] })
  t.equal(second.get(4n), undefined, 'nobody knows it')
  t.strictSame(asked, [
    [1n, 2n],
    [3n, 4n]
  ])
  await labels.of({ id: 8 }, [1n], load)
  t.strictSame(asked.at(-1), [1n], 'another table knows nothing of it')
})

t.test('so many series are kept, and no more: a query keeps what it was told', async t => {
  const labels = new KnownLabels()
  const many = Array.from({ length: 200_001 }, (_, i) => BigInt(i))
  const { asked, load } = cluster(new Map(many.map(tsid => [tsid, {}])))
  const known = await labels.of(table, many, load)
  await labels.of(table, [1n], load)
  t.equal(known.size, many.length)
  t.strictSame(asked.at(-1), [1n], 'all were forgotten')
})
