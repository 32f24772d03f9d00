// The condition that lets DuckDB skip row groups without rows of the series asked for.
import t from 'tap'
import { chosenSeries } from '../../../core/storage/embedded/query/source.ts'

t.test('numbers of series become a condition that row groups are skipped by', async t => {
  const of = (...tsids: number[]) => chosenSeries(new Uint32Array(tsids), 'm.')
  t.equal(of(), 'false')
  t.equal(of(7), 'm.__tsid = 7')
  t.equal(of(7, 8, 9), 'm.__tsid BETWEEN 7 AND 9', 'without a gap')
  // Comparisons joined by OR make DuckDB read every row group as soon as the time is bounded, too.
  t.equal(of(1, 2, 9), 'm.__tsid IN (1, 2, 9)')
  t.equal(of(...Array.from({ length: 100 }, (_, i) => i * 2)).match(/OR/), null)
  // A number of a list takes its time, too.
  const long = Array.from({ length: 1_200 }, (_, i) => (i < 600 ? i + 1 : i + 10_000))
  t.equal(of(...long), '(m.__tsid BETWEEN 1 AND 600 OR m.__tsid BETWEEN 10600 AND 11199)', 'few long runs')
})
