// Calls that would make a huge value are refused, however they are written, as far as constants tell.
import { DuckDBInstance } from '@duckdb/node-api'
import t from 'tap'
import { functionNames, guard } from '../../../core/storage/embedded/duckdb/guard.ts'
import { macroStatements } from '../../../core/storage/embedded/duckdb/macros/index.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
await connection.run(macroStatements())
t.teardown(() => connection.closeSync())

const limit = { max: 2 ** 20, key: 'some.key' }
const names = () => functionNames(connection)
const check = (text: string) => guard(connection, text, [], names, 0, limit)

const refused = `
repeat('x', 2000000)
repeat('xx', 600000)
REPEAT('x', 2000000)
"repeat"('x', 2_000_000)
main.repeat('x', 2000000)
system.main.repeat('x', 2000000)
('x').repeat(2000000)
('x').upper().repeat(2000000)
(SELECT s.repeat(2000000) FROM (SELECT 'x' AS s) q)
repeat('x', '2000000')
repeat('x', 2e6::INT)
repeat('x', CAST('2000000' AS BIGINT))
repeat('x', TRY_CAST(2000000.0 AS BIGINT))
repeat('x', 2000 * 1000)
repeat('x', (2 ** 30)::INT)
repeat('x', pow(10, 9)::INT)
repeat('x', 1 << 30)
repeat('x', - -2000000)
repeat('x', -(-2000000))
repeat('x', (SELECT 2000000))
repeat('x', CASE WHEN true THEN 2000000 ELSE 1 END)
repeat('x', greatest(1, 2000000))
repeat('x', coalesce(NULL, 2000000))
repeat(repeat('x', 2000), 2000)
repeat(repeat('x', 2000) || 'y', 2000)
repeat(upper(repeat('x', 2000)), 2000)
repeat(concat(repeat('x', 2000), 'y')::VARCHAR, 2000)
repeat([1], 2000000)
lpad('x', 2000000, 'y')
rpad('x', 2000000, 'y')
list_resize([1], 200000)
array_resize([1], 200000, 5)
len(range(200000))
len(range(0, 2000000, 10))
len(range(0, -200000, -1))
len(generate_series(1, 200000))
len(range(DATE '2024-01-01', DATE '2025-01-01', INTERVAL '1 minute'))
len(generate_series(TIMESTAMP '2024-01-01', '2024-06-01'::TIMESTAMP, INTERVAL 1 SECOND))
len(range(TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-06-01', '00:00:01'::INTERVAL))
length(bitstring('1', 20000000))
format('{:>2000000}', 'x')
format('{:{}}', 'x', 2000000)
printf('%2000000d', 1)
printf('%-2000000s', 'x')
printf('%.2000000f', 1.5)
printf('%*d', 2000000, 1)
[repeat('x', 2000000) FOR x IN [1]]
[repeat('x', n) FOR n IN [1, 2000000]]
[repeat('x', n) FOR n IN [1, 2000000] IF n > 3]
[repeat('x', n) FOR n IN range(2000000, 2000001)]
list_transform([2000000], n -> repeat('x', n))
list_transform([2000000], lambda n: repeat('x', n + 1))
list_transform([1], lambda x: list_transform([2000000], lambda y: repeat('x', y + x)))
list_reduce(['a'], lambda a, b: a || repeat('x', 2000000))
list_filter(['a'], lambda a: repeat(a, 2000000) = 'x')
{'a': repeat('x', 2000000)}.a
sum(len(repeat('x', 2000000))) OVER ()
count(*) FILTER (WHERE repeat('x', 2000000) = 'y')
initcap(repeat('x', 2000000))
(WITH a AS (SELECT repeat('x', 2000000) AS s) SELECT s FROM a)
(SELECT count(*) FROM unnest(range(200000)))
(SELECT count(*) FROM range((SELECT len(repeat('x', 2000000)))))
1 IN (SELECT 1 ORDER BY repeat('x', 2000000))`

const allowed = `
repeat('x', 1000000)
repeat('x', -2000000)
repeat('', 2000000)
repeat('x', NULL)
repeat('x', 'no number')
repeat('x', length(repeat('y', 1000)))
(SELECT repeat('x', n) FROM (SELECT 5 AS n) q)
list_transform([2000000], lambda n: n + 1)
[repeat('x', n) FOR n IN [1, 2000]]
list_transform([2000000], lambda n: len(list_transform([1], lambda n: repeat('x', n))))
lpad('x', 10, 'y')
len(range(100000))
len(range(200000, 0))
len(range(0, 10, 0))
len(range(DATE '2024-01-01', DATE '2025-01-01', INTERVAL '1 day'))
(SELECT count(*) FROM range(200000000))
(SELECT count(*) FROM generate_series(1, 200000000) g(i))
(SELECT count(*) FROM repeat('x', 200000000))
format('order 2000000: {}', 'x')
format('{}', 2000000)
printf('2000000 %d', 2000000)
'repeat(x, 2000000)'
regexp_replace('x', '{2000000}', 'y')`

t.test('constants that ask for too much are refused with the limit and the place', async t => {
  for (const call of refused.trim().split('\n')) {
    const error = await check(`SELECT ${call}`).then(
      () => undefined,
      error => error
    )
    t.match(
      error,
      { code: 'InvalidArguments', message: /^\w+ would make a value of more than 1MiB \(some\.key\)$/ },
      call
    )
  }
  t.match(await check("SELECT 1, repeat('x', 2000000)").catch(error => error), {
    offset: 10,
    message: /^repeat would/
  })
})

t.test('smaller values, and rows of a table, run', async t => {
  for (const call of allowed.trim().split('\n')) await t.resolves(check(`SELECT ${call}`), call)
  await t.resolves(guard(connection, "SELECT repeat('x', 2000000)", [], names), 'without a limit there is none')
})
