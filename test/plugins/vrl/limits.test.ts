// The limits of the plugin: what each of them refuses, the message, and the metric.
import t from 'tap'
import { type Item, ItemBatch, isDbError, parseJson } from '../../../core/index.ts'
import { readOptions } from '../../../plugins/pipelines/document/option.ts'
import { variableNames } from '../../../plugins/pipelines/run/variables.ts'
import { defaultLimits, type ScriptLimits } from '../../../plugins/vrl/limits.ts'
import createVrl, { type ScriptMessage } from '../../../plugins/vrl/processor.ts'
import { startServer } from '../../helpers.ts'

function prepare(source: string, limits: Partial<ScriptLimits> = {}) {
  const counted: string[] = []
  const logged: string[] = []
  const send = (message: unknown) => {
    const told = message as ScriptMessage
    if ('failed' in told) for (let i = 0; i < told.times; i++) counted.push(told.failed)
    else logged.push(`${told.level} ${told.text}`)
  }
  const kind = createVrl({ ...defaultLimits, ...limits }, { variables: variableNames, send })
  const processor = () => kind.compile(readOptions(new Map([['source', source]]), 'here'), 'there')
  return { counted, logged, processor }
}

function run(source: string, items: readonly string[], limits: Partial<ScriptLimits> = {}) {
  const { counted, logged, processor } = prepare(source, limits)
  const batch = ItemBatch.from(items.map(text => parseJson(text) as Item))
  processor().apply(batch)
  return { batch, counted, logged, messages: batch.failures.map(({ message }) => message) }
}

const doubling =
  '.a = [1]; for_each([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]) -> |_i, _v| { .a = [.a, .a] }; .'

t.test('a script that runs too long fails its item, and the next item is as before', async t => {
  const loop =
    'l = [1,1,1,1,1,1,1,1]; for_each(l) -> |_i, _v| { l = append(l, l) }; if .long == true { for_each(l) -> |_i, _v| { for_each(l) -> |_i, _w| { .n = 1 } } }; .'
  const { batch, counted, messages } = run(loop, ['{"long":true}', '{"x":1}'], { max_time: 20 })
  t.match(messages, [/^Processor vrl: Failed to execute VRL, .*longer than 20 ms.*max_time = "20ms"/])
  t.equal(messages.length, 1)
  t.strictSame(counted, ['limit'])
  t.ok(batch.isLive(1))
})

t.test('an item cannot become larger than its limit, though its parts are shared', async t => {
  const { counted, messages } = run(doubling, ['{}'], { max_output: 100_000 })
  t.match(messages, [/the item is too large \(\[plugins.vrl\] max_output = /])
  t.strictSame(counted, ['limit'])
})

t.test('JSON that a script reads cannot become larger than its limit either', async t => {
  const { counted, messages } = run('.y = parse_json!(.x)', ['{"x":"[{},{}]"}', '{"x":"[{},{},{},{}]"}'], {
    max_output: 200
  })
  t.match(messages, [/the document has too many values .*max_output = "200B"/])
  t.strictSame(counted, ['limit'])
})

t.test('nor can all items of a request together', async t => {
  const items = Array.from({ length: 10 }, () => '{"x":"0123456789"}')
  const { batch, messages } = run('.y = string!(.x) * 100; .', items, { max_request_output: 5000 })
  t.equal(messages.length, 6)
  t.match(messages[0], 'max_request_output')
  t.strictSame(
    items.map((_, row) => batch.isLive(row)),
    [true, true, true, true, false, false, false, false, false, false]
  )
})

t.test('values nested deeper than items may be fail the item', async t => {
  const deep =
    'for_each(chunks("0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789", 1)) -> |_i, _v| { .a = [.a] }; .'
  const { messages, counted } = run(deep, ['{}'])
  t.match(messages, [/nested more than \d+ levels/])
  t.strictSame(counted, ['result'])
})

t.test('an item becomes no more rows than it may', async t => {
  const { batch, messages } = run('.list', ['{"list":[{},{},{}]}', '{"list":[{},{}]}'], { max_rows: 2 })
  t.match(messages, [/the item becomes 3 rows, at most are 2 \(\[plugins.vrl\] max_rows = 2\)/])
  t.equal(batch.rows, 3)
})

t.test('when a script used up the time of a request, the other items fail', async t => {
  const { counted, messages } = run('.', ['{}', '{}'], { max_request_time: -1 })
  t.match(messages, [/ran too long for one request/, /max_request_time/])
  t.strictSame(counted, ['limit', 'limit'])
})

t.test('a script cannot fill the log', async t => {
  const { logged } = run('log("x", level: "warn", rate_limit_secs: 0); .', ['{}', '{}', '{}'], { max_logs: 2 })
  t.strictSame(logged, ['warn "x"', 'warn "x"'])
  const long = run('log(string!(.x) * 10000); .', ['{"x":"0123456789"}'])
  t.equal(long.logged[0]?.length, 4096 + 'info '.length)
})

t.test('scripts that are too long are refused with the key of the limit', async t => {
  const { counted, processor } = prepare('.a = 1; .', { max_length: 5 })
  try {
    processor()
    t.fail('it is compiled')
  } catch (fault) {
    t.ok(isDbError(fault))
    t.match(fault, { message: /source has 9 characters, at most are 5 \(\[plugins.vrl\] max_length = 5\)/ })
  }
  t.strictSame(counted, ['compile'])
})

t.test('text that the script leaves alone stays where it is', async t => {
  const { batch } = run('[., .]', ['{"x":"0123456789"}'])
  const bytes = batch.bytes.length
  t.equal(batch.text(batch.field('x')!, 1), '0123456789')
  t.ok(bytes < 2048, `${bytes}`)
  const [words] = [batch.field('x')!.words]
  t.strictSame([words[2], words[3]], [words[0], words[1]])
})

t.test('the server takes limits from its configuration, and counts', async t => {
  const { addresses } = await startServer(t, '[plugins.vrl]\nmax_rows = 1')
  const post = async (path: string, type: string, body: string) => {
    const answer = await fetch(addresses.main + path, { method: 'POST', headers: { 'content-type': type }, body })
    return { status: answer.status, text: await answer.text() }
  }
  const pipeline = (source: string) =>
    `version: 2\nprocessors:\n  - vrl: { source: ${JSON.stringify(source)} }\ntransform: [{ field: t, type: epoch, index: timestamp, on_failure: default }]`
  const refused = await post('/v1/pipelines/bad', 'text/yaml', pipeline('.a = to_int(.a)\n.'))
  t.equal(refused.status, 400)
  t.match(refused.text, /Failed to compile VRL.*error\[E103\]: unhandled fallible assignment.*1:6/)
  const stored = await post(
    '/v1/pipelines/good',
    'text/yaml',
    pipeline('if .abort == true { abort "no" }; . = unnest!(.list)')
  )
  t.equal(stored.status, 200, stored.text)
  const body = '{"list":[1]}\n{"list":[1,2]}\n{"abort":true}\n{"list":2}'
  const answer = await post('/v1/ingest?table=t&pipeline_name=good&skip_error=true', 'application/x-ndjson', body)
  t.match(answer, { status: 200, text: /"count":3.*max_rows = 1/ })
  const metrics = await (await fetch(`${addresses.main}/metrics`)).text()
  for (const reason of ['compile', 'limit', 'abort', 'error'])
    t.match(metrics, `svc_vrl_failures_total{reason="${reason}"} 1`)
})
