import t from 'tap'
import { createParser } from '../../../plugins/sql/grammar/parser.ts'
import { isBounded } from '../../../plugins/sql/query/bounded.ts'
import { canonical } from '../../../plugins/sql/text/canonical.ts'
import { tokenize } from '../../../plugins/sql/text/token.ts'

const parser = createParser()
t.teardown(() => parser.close())
const bounded = async (sql: string) => isBounded(await parser.tree(sql, canonical(tokenize(sql))))

t.test('a query of one table has at most its rows', async t => {
  for (const sql of [
    'select * from t',
    "select a, max(b) from t where c = 'x' group by a having max(b) > 1 order by 2 limit 5",
    'select sum(a) over (order by b) from t as x qualify row_number() over (order by b) = 1',
    'select distinct a from t'
  ])
    t.equal(await bounded(sql), true, sql)
})

t.test('what makes several rows of one, or reads more than a table, is not bounded', async t => {
  for (const sql of [
    'select 1',
    'select * from t, u',
    'select * from t join u using (a)',
    'select * from t union all select * from t',
    'with c as (select 1) select * from t',
    'select * from (select * from t)',
    'select * from range(10)',
    'select unnest([1, 2]) from t',
    'select a + main.unnest(b) from t',
    "select regexp_split_to_table(a, ',') from t",
    'select a, count(*) from t group by rollup (a)',
    'select a, count(*) from t group by cube (a, b)',
    'select a, count(*) from t group by grouping sets ((a), (b))'
  ])
    t.equal(await bounded(sql), false, sql)
})
