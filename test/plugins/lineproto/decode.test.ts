import fc from 'fast-check'
import t from 'tap'
import { ParseError, runAtOnce } from '../../../core/index.ts'
import { LineDecoder } from '../../../plugins/lineproto/decode/lines.ts'
import { readPrecision } from '../../../plugins/lineproto/precision.ts'
import { processorTime } from '../../time.ts'
import { decodedPoints, type Point, showPoint, type Value, writePoint } from './points.ts'

const limits = {
  max_request_tables: 1000,
  max_request_cells: 1e7,
  max_key_size: 1e6,
  max_text_size: 1e7,
  cache_size: 1 << 20
}
const decoder = new LineDecoder(limits)
const columns = { max: 1000, key: 'most.columns' }
const decode = (lines: string, by = decoder, own = columns) =>
  decodedPoints(runAtOnce(by.decode(Buffer.from(lines), readPrecision('ns'), 7n, own)))
const runs = Number(process.env['WEIR_PROPERTY_RUNS'] ?? 300)

/** What a line can hold as a name: no line feed, which a backslash protects but does not hide. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(text => !/[\n\0]/.test(text))
const table = text.filter(text => !/^[#\t]/.test(text))
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => ({ type: 'Float64' as const, value })),
  fc.integer({ min: -99_999, max: 99_999 }).map(value => ({ type: 'Float64' as const, value: value / 100 })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(value => ({ type: 'Int64' as const, value })),
  fc.integer().map(value => ({ type: 'Int64' as const, value: BigInt(value) })),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(value => ({ type: 'UInt64' as const, value })),
  fc.boolean().map(value => ({ type: 'Boolean' as const, value })),
  fc.string({ unit: 'grapheme' }).map(value => ({ type: 'String' as const, value }))
)
const point: fc.Arbitrary<Point> = fc.record({
  table,
  tags: fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 4 }).map(pairs => new Map(pairs)),
  // Of one name and one type in all points.
  fields: fc
    .uniqueArray(fc.tuple(text, value), { selector: ([name]) => name, minLength: 1, maxLength: 5 })
    .map(pairs => new Map(pairs.map(([name, value]) => [`${name}${value.type}`, value]))),
  time: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
})

t.test('written lines are read back, whatever was read before', async t => {
  fc.assert(
    fc.property(fc.array(point, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\n\n# note\n  '), (points, end) => {
      const show = (list: readonly Point[]) => list.map(showPoint).sort().join('\n')
      t.equal(show(decode(points.map(writePoint).join(end))), show(points))
    }),
    { numRuns: runs }
  )
})

t.test('numbers are the nearest a float can be, whatever their length', async t => {
  const texts = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.stringMatching(/^-?[0-9]{1,25}\.?[0-9]{0,30}$/),
    fc.stringMatching(/^-?\.[0-9]{1,30}$/),
    fc.stringMatching(/^-?[0-9]{1,17}(\.[0-9]{0,17})?[eE][+-]?[0-9]{1,2}$/)
  )
  fc.assert(
    fc.property(texts, text => {
      const [read] = decode(`m v=${text}`)
      const { value } = read!.fields.get('v')!
      t.ok(Object.is(value, Number(text)), `${text} is read as ${value}`)
    }),
    { numRuns: runs * 3 }
  )
})

t.test('faulty lines are refused with their position', async t => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['m', /needs fields at line 1, column 2/],
    ['m ', /a field needs = and a value at line 1, column 3/],
    ['ok v=1\nm,a=b', /needs fields at line 2, column 6/],
    [' v=1', /a field needs = and a value|needs fields/],
    [',a=b v=1', /needs a measurement at line 1, column 1/],
    ['m v', /a field needs = and a value/],
    ['m =1', /a field without a name/],
    ['m v=', /is not a value/],
    ['m v=1,', /a field needs = and a value/],
    ['m v=+1', /"\+1" is not a value/],
    ['m v=1e', /is not a value/],
    ['m v=.', /is not a value/],
    ['m v=-', /is not a value/],
    ['m v=NaN', /"NaN" is not a value/],
    ['m v=Inf', /is not a value/],
    ['m v=0x1', /is not a value/],
    ['m v=tRUE', /is not a value/],
    ['m v=truer', /is not a value/],
    ['m v=text', /"text" is not a value/],
    ['m v=1e400', /"1e400" is out of range for Float64/],
    ['m v=9223372036854775808i', /out of range for Int64/],
    ['m v=-1u', /out of range for UInt64/],
    ['m v=18446744073709551616u', /out of range for UInt64/],
    [`m v=${'9'.repeat(100_000)}i`, /out of range for Int64/],
    ['m v="open', /no closing quote at line 1, column 5/],
    ['m v="a"b', /is not a value/],
    ['m v=1 x', /timestamp must be an integer/],
    ['m v=1 1.5', /trailing content/],
    ['m v=1 1 2', /trailing content after the timestamp at line 1, column 8/],
    ['m v=1 9223372036854775808', /timestamp 9223372036854775808 is out of range/],
    ['m v=1 -9223372036854775809', /out of range/],
    [`m v=1 ${'1'.repeat(100_000)}`, /out of range/],
    ['é v=1\né,ü=ö x=y', /"y" is not a value.* at line 2, column 9/],
    ['m,a v=1', /a tag needs = and a value/],
    ['m,a= v=1', /a tag has an empty value/],
    ['m,=b v=1', /a tag without a name/],
    ['m,a=b, v=1', /a tag without a name at line 1, column 7/],
    ['m,a=b=c v=1', /must be written as/],
    ['m v=1 1\rx', /trailing content/]
  ]
  for (const [lines, message] of cases) {
    const error = t.throws(() => decode(lines), { message }, lines.slice(0, 40))
    t.ok(error instanceof ParseError)
  }
  t.throws(
    () => runAtOnce(decoder.decode(Buffer.from([0x6d, 0x20, 0x76, 0x3d, 0xff]), readPrecision('ns'), 0n, columns)),
    /UTF-8/
  )
})

t.test('unusual lines are taken', async t => {
  const show = (lines: string) => decode(lines).map(showPoint)
  const plain = show('m v=1 1')
  for (const lines of [
    '  m v=1 1',
    '\tm v=1 1',
    'm  v=1  1  ',
    'm v=1 1\r\n',
    'm v=1. 1',
    '\n\r\n#\n# m v=2\nm v=01.0 +'.replace('+', '1')
  ])
    t.same(show(lines), plain, JSON.stringify(lines))
  t.same(show('m v=1,v=2 1'), show('m v=2 1'), 'the last of a name counts')
  t.same(show('m,a=1,a=2 v=1 1'), show('m,a=2 v=1 1'))
  t.same(show('m s="long text",s="x" 1\nm s="y" 2'), show('m s="x" 1\nm s="y" 2'))
  t.same(show('m s="two\nlines" 1\nm s="" 2').length, 2)
  t.same(show('m v=1'), show('m v=1 7'), 'the time it came at')
})

t.test('a name written in two ways is one name, and leads to no other', async t => {
  const lines = ['m\\\\x,a=1 f\\\\y=1 1', 'm\\x,a=1 f\\y=2 2', 'other v=3 3', 'm\\x,a=1 f\\y=4,g=5 4'].join('\n')
  const points = [decode(lines), decode(lines)].map(list => list.map(({ table, fields }) => [table, ...fields.keys()]))
  const expected = [
    ['m\\x', 'f\\y'],
    ['m\\x', 'f\\y'],
    ['m\\x', 'f\\y', 'g'],
    ['other', 'v']
  ]
  t.same(points, [expected, expected])
})

t.test('every place of a column is right, however lines leave fields out', async t => {
  const lines = Array.from({ length: 200 }, (_, i) => {
    const fields = ['a=1.5', 'b=2i', 'c=t', 'd="x"', 'e=3u'].filter((_, f) => (i * 7 + f * 3) % (f + 2) === 0)
    return `m,h=${i % 7} ${[...fields, 'z=0'].join(',')} ${i}`
  })
  const one = decode(lines.join('\n')).map(showPoint).sort()
  t.same(one, lines.flatMap(line => decode(line, new LineDecoder(limits)).map(showPoint)).sort())
})

t.test('remembered names are bounded', async t => {
  const small = new LineDecoder({ ...limits, cache_size: 100_000 })
  const few = { ...columns, max: 20 }
  for (let i = 0; i < 2000; i++) {
    const points = decode(`m${i % 900} f${i}=1,g=2i ${i}\nm f${i}="x" ${i}`, small, few)
    t.equal(points.length, 2)
  }
  t.throws(
    () => decode(`m ${Array.from({ length: 21 }, (_, i) => `f${i}=1`).join(',')}`, small, few),
    /more than 20 fields \(most.columns\)/
  )
})

t.test('parts of a line that are far too long are refused where they begin, without reading all of them', t => {
  const long = (text: string) => text.repeat((40 << 20) / text.length)
  const key = /take more than 1000000 bytes \(plugins\.lineproto\.max_key_size\)/
  const cases: readonly (readonly [line: string, error: RegExp])[] = [
    [`${long('a')} v=1`, key],
    [`${long('\\ ')} v=1`, key],
    [`m,t=${long('a')} v=1`, key],
    [`m${Array.from({ length: 1900 }, (_, i) => `,t${i}=${'a'.repeat(20_000)}`).join('')} v=1`, key],
    [`m ${long('a')}=1`, /the name of a field has more than 255 bytes/],
    [`m v=${long('1')}`, /out of range/],
    [`m v=${long('0')}1`, /is not a value/],
    [`m v=1.${long('3')}`, /is not a value/],
    [`m v=1e${long('0')}1`, /is not a value/],
    [`m v=1 ${long('1')}`, /out of range/],
    [`m v=1${long(' ')}2`, /more than 1048576 spaces/]
  ]
  for (const [line, error] of cases) {
    const body = Buffer.from(line)
    const began = processorTime()
    t.throws(() => runAtOnce(decoder.decode(body, readPrecision('ns'), 7n, columns)), error)
    const took = processorTime() - began
    t.ok(took < 100, `${line.slice(0, 20)}: ${took} ms`)
  }
  const [point] = decode(`${' '.repeat(100_000)}m v=1 5`)
  t.equal(point?.fields.get('v')?.value, 1, 'spaces before a line may be many: others run between them')
  t.end()
})

t.test('texts of any length end at their quote, or are refused where they are too long or do not end', async t => {
  const max = 70_000
  const own = new LineDecoder({ ...limits, max_text_size: max })
  const piece = fc.oneof(
    fc.constantFrom('\\"', '\\\\', '\\x', 'ü', '\n'),
    fc.constantFrom(1, 254, 255, 256, 257, 1000, 65_535, 65_536, 65_537).map(length => 'x'.repeat(length))
  )
  const written = fc.tuple(fc.array(piece, { maxLength: 6 }), fc.boolean())
  fc.assert(
    fc.property(written, ([pieces, isClosed]) => {
      const text = pieces.join('')
      const size = Buffer.byteLength(text)
      const line = `m a="${text}${isClosed ? '" 1' : ''}`
      // What is behind the limit is not looked at.
      const problem =
        size > max
          ? `a text takes more than ${max} bytes (plugins.lineproto.max_text_size)`
          : isClosed
            ? undefined
            : 'a text has no closing quote'
      let said: string | undefined
      try {
        const [point] = decode(line, own)
        const value = text.replace(/\\(["\\])/g, '$1')
        if (point?.fields.get('a')?.value !== value) throw new Error('another text')
      } catch (error) {
        said = (error as Error).message
      }
      if (problem === undefined ? said !== undefined : said?.includes(problem) !== true)
        throw new Error(`${said} for ${size} bytes, expected ${problem}`)
    }),
    { numRuns: runs }
  )
  t.pass()
})

t.test('however long a line and its texts are, they are read and copied in short steps', async t => {
  const wide = { ...limits, max_text_size: 2 ** 24, max_request_cells: 2 ** 24 }
  const escaped = '\\"'.repeat(2 ** 20)
  const plain = 'x'.repeat(2 ** 21)
  const cases = [
    [
      'escaped texts',
      `m a="${escaped}",b="${escaped}x",c=1 5`,
      { a: '"'.repeat(2 ** 20), b: `${'"'.repeat(2 ** 20)}x`, c: 1 }
    ],
    ['plain texts', `m a="${plain}",b="${plain}" 5`, { a: plain, b: plain }],
    ['one field again and again', `m ${'a=1,'.repeat(2 ** 19)}a="x",b=2 5`, undefined],
    ['a text again and again', `m a="${escaped}",a="${plain}",a="y" 5`, { a: 'y' }],
    ['many rows', `m a=1,b="${'y'.repeat(200)}" 5\n`.repeat(2 ** 14), undefined]
  ] as const
  for (const [what, lines, fields] of cases) {
    const body = Buffer.from(lines)
    const decoding = new LineDecoder(wide).decode(body, readPrecision('ns'), 7n, columns)
    let steps = 0
    let step = { done: false } as ReturnType<typeof decoding.next>
    const began = processorTime()
    try {
      for (step = decoding.next(); !step.done; step = decoding.next()) steps++
    } catch (error) {
      t.match(error, { message: /field a of table m is String here and Float64 in line 1/ }, what)
    }
    t.comment(`${what}: ${steps} steps, ${Math.round(processorTime() - began)} ms`)
    t.ok(steps >= body.length / 2 ** 17, `${what}: ${steps} steps for ${body.length} bytes`)
    if (!step.done || fields === undefined) continue
    const [point] = decodedPoints(step.value)
    t.strictSame(Object.fromEntries(Array.from(point!.fields, ([name, { value }]) => [name, value])), fields, what)
  }
})
