// Table-option variables, from the ingest route to the options of the table as SQL shows them.
import t, { type Test } from 'tap'
import { startServer } from '../../helpers.ts'

async function serve(t: Test, toml = '') {
  const { addresses } = await startServer(t, toml)
  const post = async (path: string, type: string, body: string) => {
    const answer = await fetch(addresses.main + path, { method: 'POST', headers: { 'content-type': type }, body })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  /** Lines of `VARIABLES… <ms> <host> <a> <b>` into table t; `-` for a or b is not a value. */
  const ingest = async (variables: readonly string[], lines: readonly string[], table = 't') => {
    const pattern = [...variables, 'at', 'host', 'a', 'b'].map(name => `%{${name}}`).join(' ')
    const yaml = `
processors:
  - dissect: { field: message, pattern: '${pattern}' }
  - epoch: { field: at, resolution: ms }
transform:
  - { field: at, type: 'time, ms', index: timestamp }
  - { field: host, type: string, tag: true }
  - { fields: [a, b], type: int64, on_failure: ignore }`
    await post('/v1/pipelines/p', 'text/yaml', yaml)
    return post(`/v1/ingest?table=${table}&pipeline_name=p`, 'text/plain', lines.join('\n'))
  }
  const sql = async (text: string) => {
    const url = `${addresses.main}/v1/sql?format=json&sql=${encodeURIComponent(text)}`
    return (await (await fetch(url)).json()) as Record<string, unknown>
  }
  const rows = async (text: string) => (await sql(text))['data'] as Record<string, unknown>[]
  const shown = async (table: string) => JSON.stringify(await sql(`SHOW CREATE TABLE "${table}"`))
  return { post, ingest, sql, rows, shown }
}

t.test('ttl, skip_wal and suffix make the table that the lines ask for', async t => {
  const { ingest, shown } = await serve(t)
  const names = ['svc_ttl', 'svc_skip_wal', 'svc_table_suffix']
  const answer = await ingest(names, ['7d true _x 1 h 1 1', '90m false _y 1 h 1 1'])
  t.match(answer, { status: 200, body: { output: [{ affectedrows: 1 }, { affectedrows: 1 }] } })
  t.match(await shown('t_x'), /append_mode = 'true'.*skip_wal = 'true'.*ttl = '7days'/)
  t.match(await shown('t_y'), /skip_wal = 'false'.*ttl = '1h 30m/)
})

t.test('append_mode false keeps the last of equal rows', async t => {
  const { ingest, rows, shown } = await serve(t)
  await ingest(['svc_append_mode'], ['false 1 h 1 1', 'false 1 h 2 -', 'false 2 h 3 3'])
  t.same(await rows('SELECT a, b FROM t ORDER BY at'), [
    { a: 2, b: null },
    { a: 3, b: 3 }
  ])
  t.match(await shown('t'), /append_mode = 'false'/)
})

t.test('merge_mode last_non_null keeps what a later row leaves out', async t => {
  const { ingest, rows, shown } = await serve(t)
  await ingest(['svc_merge_mode'], ['last_non_null 1 h 1 1', 'last_non_null 1 h 2 -'])
  t.same(await rows('SELECT a, b FROM t'), [{ a: 2, b: 1 }])
  t.match(await shown('t'), /merge_mode = 'last_non_null'/)
  const wrong = await ingest(['svc_merge_mode'], ['first_row 1 h 1 1'])
  t.match(wrong, { status: 400, body: { code: 1004, error: /^item 0: variable svc_merge_mode: .*first_row/ } })
})

t.test('auto_create_table false makes neither tables nor columns', async t => {
  const { ingest, post } = await serve(t)
  const refused = await ingest(['svc_auto_create_table'], ['false 1 h 1 1'])
  t.match(refused, { status: 400, body: { code: 1004, error: /Table `t` does not exist, and `auto_create_table`/ } })
  t.match(await ingest(['svc_auto_create_table'], ['true 1 h 1 1']), { status: 200 })
  t.match(await ingest(['svc_auto_create_table'], ['false 2 h 1 1']), { status: 200 }, 'a table that is there is used')
  await post(
    '/v1/pipelines/more',
    'text/yaml',
    [
      "processors: [{ dissect: { field: message, pattern: '%{svc_auto_create_table} %{c}' } }, { epoch: { field: at } }]",
      'transform: [{ field: at, type: "time, ms", index: timestamp }, { field: c, type: string }]'
    ].join('\n')
  )
  const wider = await post('/v1/ingest?table=t&pipeline_name=more', 'application/json', '{"message":"false x","at":5}')
  t.match(wider, { status: 400, body: { code: 1004, error: /column `?c`?/i } })
})

t.test('physical_table makes a logical table in the files of another', async t => {
  const { ingest, rows, shown } = await serve(t)
  const made = await ingest(['svc_physical_table', 'svc_table_suffix'], ['store _a 1 h 1 1', 'store _b 1 h 2 2'])
  t.match(made, { status: 200, body: { output: [{ affectedrows: 2 }] } })
  t.match(await shown('t_a'), /physical_table = 'store'|on_physical_table = 'store'/)
  t.same(await rows('SELECT a FROM t_b'), [{ a: 2 }])
  const names = await rows('SHOW TABLES')
  t.match(JSON.stringify(names), /"store"/, 'it was made, too')
  const other = await ingest(['svc_physical_table', 'svc_append_mode'], ['store false 1 h 1 1'], 'u')
  t.match(other, { status: 400, body: { code: 1004, error: /store/ } }, 'another mode than the physical table has')
})

t.test('a table that is named as its own physical table is a 400, not a 503', async t => {
  const { ingest, post, rows } = await serve(t)
  const own = await ingest(['svc_physical_table'], ['t 1 h 1 1'])
  t.match(own, { status: 400, body: { code: 1004, error: /item 0: variable svc_physical_table: .* its own physical/ } })
  const url = '/v1/ingest?table=u&pipeline_name=p&skip_error=true'
  const mixed = await post(url, 'text/plain', 'u 1 h 1 1\nstore 2 h 2 2')
  t.match(mixed, { status: 200, body: { output: [{ affectedrows: 1 }], skipped: { count: 1 } } })
  t.same(await rows('SELECT a FROM u'), [{ a: 2 }])
})

t.test('rows of a new table that name different physical tables are refused by name', async t => {
  const { ingest, post, rows } = await serve(t)
  const lines = ['p1 1 h 1 1', 'p2 2 h 2 2', 'p1 3 h 3 3']
  const both = await ingest(['svc_physical_table'], lines)
  const error = "table t does not exist yet, and the request's rows name different physical tables for it: p1 and p2"
  t.match(both, { status: 400, body: { code: 1004, error: new RegExp(error) } })
  t.same(await rows('SHOW TABLES'), [])
  const url = '/v1/ingest?table=t&pipeline_name=p'
  t.match(
    await post(`${url}&skip_error=true`, 'text/plain', lines.join('\n')),
    { status: 400 },
    'no item alone is wrong'
  )
  t.same(await rows('SHOW TABLES'), [])
  t.match(await post(url, 'text/plain', lines[0]!), { status: 200 })
  t.match(await post(url, 'text/plain', lines[1]!), { status: 200 }, 'a table that exists stays where it is')
  t.same(await rows('SELECT a FROM t ORDER BY a'), [{ a: 1 }, { a: 2 }])
})

t.test('a name made of a suffix is checked like any other, and one request is stored whole or not at all', async t => {
  const { ingest, rows } = await serve(t)
  const long = 'x'.repeat(300)
  const refused = await ingest(['svc_table_suffix'], ['_a 1 h 1 1', `${long} 1 h 1 1`])
  t.match(refused, { status: 400, body: { code: 1004, error: /301 bytes, at most 255/ } })
  t.same(await rows('SHOW TABLES'), [])
})

t.test('log data chooses no table unless the operator allows it', async t => {
  const send = async (toml: string) => {
    const { post, rows } = await serve(t, toml)
    const body = '{"svc_table_suffix":"_mine","svc_ttl":"1s","a":1}'
    const answer = await post('/v1/ingest?table=t&pipeline_name=svc_identity', 'application/json', body)
    t.equal(answer.status, 200)
    return JSON.stringify(await rows('SHOW TABLES'))
  }
  t.match(await send(''), /"t"/)
  t.match(await send('[plugins.pipelines]\nvariables_from_input = true'), /"t_mine"/)
})
