import fc from 'fast-check'
import t from 'tap'
import { checkJsonValues, runAtOnce } from '../../../core/index.ts'
import { countJsonValues } from '../../../core/model/json-count.ts'

const passes = (text: string, most: number) => {
  try {
    runAtOnce(checkJsonValues(Buffer.from(text), most))
    return true
  } catch {
    return false
  }
}

/** The least limit that lets a text pass. */
const values = (text: string) => {
  let most = 1
  while (!passes(text, most)) most++
  return most
}

t.test('arrays, objects and commas count, what stands in texts does not', async t => {
  for (const [text, count] of [
    ['0', 1],
    ['[]', 2],
    ['{}', 2],
    ['[1,2,3]', 4],
    ['{"a":[{},{}],"b":0}', 7],
    ['"[,{"', 1],
    ['["\\",[","\\\\",{}]', 5],
    ['{"a":1}\n{"a":2}\n{"a":3}', 4],
    ['["no end,,,', 2]
  ] as const)
    t.equal(values(text), count, text)
})

t.test('a long text is passed in steps', async t => {
  for (const text of ['x'.repeat(8e6), '\\"'.repeat(4e6), '[]'.repeat(4e6)]) {
    let steps = 0
    for (const _ of countJsonValues(Buffer.from(`["${text}"]`), 100)) steps++
    t.ok(steps >= 8e6 / 2 ** 18 - 1, `${steps} steps`)
  }
})

t.test('no document has more values than are counted', async () => {
  const count = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 1
      : 1 + Object.values(value).reduce((sum, each) => sum + count(each), 0)
  const short = fc.json({ maxDepth: 3 }).filter(text => text.length < 200)
  fc.assert(fc.property(short, text => values(text) >= count(JSON.parse(text))))
})

t.test('a body with more is refused with 413 naming the key; 0 sets no limit', async t => {
  const body = Buffer.from('[{},{},{}]')
  const message = 'the body has more than 3 values (http.max_body_values): send less at a time'
  t.throws(() => runAtOnce(checkJsonValues(body, 3)), {
    name: 'DbError',
    code: 'InvalidArguments',
    status: 413,
    message
  })
  t.doesNotThrow(() => runAtOnce(checkJsonValues(body, 7)))
  t.doesNotThrow(() => runAtOnce(checkJsonValues(body, 0)))
})
