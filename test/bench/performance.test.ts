// The performance pages are made from the output of benches.
import t from 'tap'
import { readLive, readLogQuestions, readScale } from '../../bench/performance-output.ts'
import { insertedTable, insertTable, logTable, performancePage, stateTable } from '../../bench/performance-page.ts'
import { plotSvg, plotText } from '../../bench/timeline.ts'

const live = `history loaded 0 refused

fresh (12 rounds)
  one series               prometheus 1.0 (3)     weir 2.0 (5)           last x2.00 of the first
  sum by 3                 prometheus 40.0 (60)   weir 10.0 (15)         last x0.25 of the first

live+sql (90 rounds)
  one series               prometheus 2.0 (9)     weir 3.0 (9)           last x1.50 of the first
  sum by 3                 prometheus 40.0 (70)   weir 80.0 (95)         last x2.00 of the first
   sql 12.3 ms
prometheus resident MB 200 at most 210
weir resident MB 300 at most 390
light queries: at worst 1.0 ms slower (live, one series)
`

const scale = `end 1795448955000
  weir 18 M, 1500 k samples/s, slowest request 100 ms, resident 400 MB
weir: 1360 k samples/s, 0 refused, slowest request 189 ms, resident 442 MB, peak 461 MB, disk 94 MB
  one series, all hours              first 2896 ms, then 2.8 ms, 1/60 series/points
resident 546 MB, peak 547 MB
after a restart
end 1795448955000
  one series, all hours              first 365 ms, then 5.7 ms, 1/60 series/points
resident 360 MB, peak 361 MB
end 1795448955000
victoria-metrics: 1200 k samples/s, 0 refused, slowest request 900 ms, resident 170 MB, peak 300 MB, disk 38 MB
  one series, all hours              first 9 ms, then 1.8 ms, 1/60 series/points
resident 180 MB, peak 310 MB
`

const questions = `3,000,000 lines, 86,019 lines/s with making them, server CPU 3.53 µs a line
idle       resident 657 MB
3,000,000 lines, ms: SQL, /v1/logs                      idle            live  plain DuckDB  VictoriaLogs, 3,000,000 lines
  count by level                                57.4, 31.4     1155.6, 74.0          26.0           2.1
  a trace id                                   57.8, 107.6     129.1, 112.1         121.4           3.2
disk 79 MB, one Parquet file 136 MB
`

const about = { date: '2026-11-23', machine: '2 cores' }

t.test('outputs of benches become a page of states and queries', async t => {
  const page = performancePage(readLive(live), readScale(scale), about)
  t.match(page, '|  | fresh | live+sql |')
  t.match(page, '| one series | 2.0, 5 (2.00 × prometheus) | 3.0, 9 (1.50 × prometheus) |')
  t.match(page, '| sum by 3 | 10.0, 15 (0.25 × prometheus) | 80.0, 95 (2.00 × prometheus) |')
  t.match(page, 'weir 300 at the end, 390 at most')
  t.match(page, '| weir | 1360 | 189 | 461 | 547 | 94 |')
  t.match(page, '| one series, all hours | 2896, 2.8 | 365, 5.7 | 9, 1.8 |')
  t.match(page, 'Measured on 2026-11-23, 2 cores')
})

t.test('questions of log lines are a table of their own, which the page keeps', async t => {
  const text = logTable(readLogQuestions(questions), about)
  t.match(text, '| 3,000,000 lines | idle | live | plain DuckDB | VictoriaLogs, 3,000,000 lines |')
  t.match(text, '| count by level | 57.4, 31.4 | 1155.6, 74.0 | 26.0 | 2.1 |')
  const page = insertTable(performancePage(readLive(live), readScale(scale), about), text)
  t.equal(insertedTable(page), text)
  t.equal(performancePage(readLive(live), readScale(scale), about, insertedTable(page)), page)
})

t.test('the short table has the best and the worst state', async t => {
  const table = stateTable(readLive(live), readScale(scale), about)
  t.match(table, 'weir 1,360,000; victoria-metrics 1,200,000')
  t.match(table, '| the median of 2 queries, worst state (live+sql), times prometheus | 1.75 |')
  t.match(table, 'prometheus 210; weir 390')
  const page = 'a\n<!-- npm run bench -- performance -->\nold\n<!-- end -->\nb\n'
  t.equal(insertTable(page, 'new'), 'a\n<!-- npm run bench -- performance -->\nnew\n<!-- end -->\nb\n')
  t.throws(() => insertTable('nothing', 'new'), /the page has no/)
})

t.test('a text that is no output of a bench is refused', async t => {
  t.throws(() => readLive('nothing'), /no output of `npm run bench -- live`/)
  t.throws(() => readLogQuestions('nothing'), /no output of `npm run bench -- logs-questions`/)
  t.throws(() => readScale('nothing'), /no output of `npm run bench -- scale`/)
})

t.test('a timeline is drawn as bars and as lines, gaps where nobody answered', async t => {
  const points = Array.from({ length: 200 }, (_, i) => ({
    seconds: i,
    memoryMiB: i,
    diskMiB: 2 * i,
    query: i === 100 ? Number.NaN : 5
  }))
  const text = plotText(points, 50).split('\n')
  t.equal(text.length, 3)
  t.match(text[0], /^ {2}memory, MiB {2}▁.*█ at most 199$/)
  t.match(plotText([], 50), 'at most 0')
  const svg = plotSvg(new Map([['weir', points]]))
  t.equal(svg.match(/<polyline/g)?.length, 3)
  t.notMatch(svg, 'NaN')
})
