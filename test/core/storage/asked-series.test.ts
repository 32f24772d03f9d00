// Series that a condition leaves: lists of numbers, united and intersected.
import fc from 'fast-check'
import t from 'tap'
import { runAtOnce } from '../../../core/pace.ts'
import { seriesAsked } from '../../../core/storage/embedded/query/asked-series.ts'
import { LabelIndex } from '../../../core/storage/embedded/series/label-index.ts'
import { SeriesRegistry } from '../../../core/storage/embedded/series/series.ts'
import { resolveSeries } from '../../../core/storage/embedded/series/tags.ts'
import type { Condition } from '../../../core/storage/engine.ts'
import { columns } from '../../contract/engine/trial.ts'
import { openEngine, temporaryFolder, text } from './fixtures.ts'

t.test('conditions on tags leave the series that meet them, ascending and each once', async t => {
  const engine = await openEngine(t, temporaryFolder(t))
  const table = await engine.catalog.createTable({
    database: 'public',
    name: 'visits',
    columns: columns('tag host String', 'tag zone String', 'time at TimestampMillisecond', 'field n Int64'),
    options: {}
  })
  const hosts = Array.from({ length: 60 }, (_, i) => `h${i % 6}`)
  const zones = Array.from({ length: 60 }, (_, i) => `z${i % 10}`)
  const registry = new SeriesRegistry()
  const tags = [hosts, zones].map((values, i) => ({
    id: table.tags[i]!.id,
    rows: values.length,
    data: text('tag', values).data
  }))
  const numbers = runAtOnce(resolveSeries(registry, tags, hosts.length))
  const index = new LabelIndex(registry)

  const equals = fc.oneof(
    fc.nat(6).map((n): Condition => ({ kind: 'equals', column: 'host', value: `h${n}` })),
    fc.nat(10).map((n): Condition => ({ kind: 'equals', column: 'zone', value: `z${n}` })),
    // No tag: nothing is known of it.
    fc.constant<Condition>({ kind: 'equals', column: 'n', value: '7' })
  )
  const condition = fc.letrec<{ condition: Condition }>(tie => ({
    condition: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      equals,
      fc.record({
        kind: fc.constantFrom('all', 'any'),
        of: fc.array(tie('condition'), { minLength: 1, maxLength: 6 })
      }) as fc.Arbitrary<Condition>
    )
  })).condition
  /** Undefined: it depends on more than tags. */
  const meets = (each: Condition, row: number): boolean | undefined => {
    if (each.kind === 'equals') {
      if (each.column === 'n') return undefined
      return (each.column === 'host' ? hosts : zones)[row] === each.value
    }
    if (each.kind !== 'all' && each.kind !== 'any') return undefined
    const parts = each.of.map(part => meets(part, row))
    if (each.kind === 'any') return parts.includes(true) ? true : parts.includes(undefined) ? undefined : false
    return parts.includes(false) ? false : parts.includes(undefined) ? undefined : true
  }
  const property = fc.property(condition, condition => {
    const found = runAtOnce(seriesAsked(index, table, undefined, condition))
    if (found === undefined) return true
    const isAscending = found.every((number, i) => i === 0 || found[i - 1]! < number)
    const left = new Set(found)
    const isAboutTags = !JSON.stringify(condition).includes('"n"')
    // Who meets it is there, and who does not is not, unless the condition is about more than tags.
    const areRight = [...numbers].every((number, row) => {
      const met = meets(condition, row)
      return met === true ? left.has(number) : !isAboutTags || !left.has(number)
    })
    return isAscending && areRight
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }))
})
