import fc from 'fast-check'
import { RE2JS } from 're2js'
import t from 'tap'
import {
  compileRegex,
  compileWhole,
  type LinearRegex,
  parseReplacement,
  RegexBudget,
  requiredText,
  requiredTexts,
  wholeTest
} from '../../../core/index.ts'
import { re2Route } from '../../../core/regex/re2.ts'
import type { RegexRoute } from '../../../core/regex/regex.ts'
import { processorTime } from '../../time.ts'

const encoder = new TextEncoder()

/** Groups with positions by both kinds of text, as one comparable value. */
function everything(regex: RegexRoute, groups: number, text: string) {
  const bytes = encoder.encode(`..${text}..`)
  const spans = new Int32Array(groups * 2)
  const found = regex.find(bytes, 2, bytes.length - 2, spans)
  return {
    test: regex.test(text),
    first: regex.search(text)(0),
    second: text.length > 1 ? regex.search(text)(text.length >> 1) : undefined,
    bytes: regex.testBytes(bytes, 2, bytes.length - 2),
    spans: found ? [...spans] : undefined
  }
}

function asRoute(regex: LinearRegex): RegexRoute {
  return { ...regex, search: text => from => regex.exec(text, from) }
}

const { pattern } = fc.letrec<{ pattern: string; sequence: string; atom: string; piece: string }>(tie => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    tie('sequence'),
    fc.tuple(fc.constantFrom('^', '(?i)^', '(?m)', '(?s)^', '(?U)^', '\\A'), tie('sequence')).map(([a, b]) => a + b),
    fc.array(tie('sequence'), { minLength: 2, maxLength: 3 }).map(parts => parts.join('|'))
  ),
  sequence: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map(parts => parts.join('')),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'))
    .map(([atom, count]) => atom + count),
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'K', 's', ' ', '1', 'ab', '-', 'é', '\\.', '\\n', '\\x41', '\\x{62}', 'a', 'b', '1'),
    fc.constantFrom('.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\b', '\\B', '^', '$', '\\z'),
    fc.constantFrom(
      '[ab]',
      '[^a]',
      '[a-c1]',
      '[^\\s-]',
      '[]a]',
      '[^]b]',
      '[[:alpha:]_]',
      '[[:^digit:]]',
      '[é-ü]',
      '[-\\w]'
    ),
    fc.constantFrom(
      '\\pL',
      '[\\x{17f}]',
      '[\\x{2000}-\\x{3000}]',
      '\\x{212a}',
      '(?i:k)',
      '(?-s:.)',
      '(?i)a',
      '\\Qa.b\\E'
    ),
    tie('pattern').map(inner => `(${inner})`),
    tie('pattern').map(inner => `(?:${inner})`)
  )
}))

const text = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', 'c', 'A', 'k', 'S', '1', '2', ' ', '\n', '\r', '.', '-', '_', 'ab', '\u000b'), {
    maxLength: 10
  }),
  fc.array(fc.constantFrom('a', 'b', 'é', 'K', 'ſ', '😀', ' '), { maxLength: 6 })
)

t.test('both engines find the same groups at the same places', async t => {
  let native = 0
  const check = fc.check(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
      let expression: RE2JS
      try {
        expression = RE2JS.compile(source)
      } catch {
        return true
      }
      const regex = compileRegex(source)
      if (regex.engine === 're2') return true
      native++
      const slow = re2Route(expression)
      return texts.every(parts => {
        const line = parts.join('')
        const groups = regex.names.length
        return (
          JSON.stringify(everything(asRoute(regex), groups, line)) === JSON.stringify(everything(slow, groups, line))
        )
      })
    }),
    { numRuns: 6000 }
  )
  t.notOk(check.failed, fc.defaultReportMessage(check) ?? '')
  t.ok(native > 500, `${native} patterns were run natively`)
})

t.test('expressions that backtrack elsewhere take no time on either route', async t => {
  // Head and tail hold what a quick look for a needed character would miss.
  const hostile: [source: string, head: string, piece: string, tail: string][] = [
    ['^(?:a|a)*b$', '', 'a', 'b!'],
    ['^(a+)+b', '', 'a', '!b'],
    ['^(?:a*)*b', '', 'a', '!b'],
    ['(a*)*a*a*b', 'b', 'a', '!'],
    ['(?:|){30}x', 'x', 'a', ''],
    ['a*a*a*a*a*b$', 'b', 'a', 'b!'],
    ['=([^;]+);', ';', '=', ''],
    ['\\[([^\\]]*)\\]', ']', '[', ''],
    ['\\d+x', 'x', '1', ''],
    ['^(?:x?){50}x{50}y', 'y', 'x', ''],
    ['(?:a{1,8}){1,8}b$', 'b', 'a', 'b!'],
    ['^\\S+ \\S+ \\S+ (\\S+)!$', '', 'a ', '!'],
    ['k=(\\d+);', ';', 'k=1', ''],
    ['^(?m:^a$\\n)*b', 'b', 'a\n', '']
  ]
  for (const [source, head, piece, tail] of hostile) {
    const regex = compileRegex(source)
    const time = (length: number) => {
      const text = head + piece.repeat(length) + tail
      const start = processorTime()
      regex.exec(text)
      regex.find(encoder.encode(text), 0, text.length, new Int32Array(regex.names.length * 2))
      return processorTime() - start
    }
    time(100)
    const took = time(20_000)
    t.ok(took < 2500, `${source} took ${took.toFixed(0)} ms on ${regex.engine}`)
  }
})

t.test('many matches in a long text take no more than their text', async t => {
  for (const source of ['a', '(a)(a)', '\\b', '(?:a|ab)']) {
    const regex = compileRegex(source)
    const start = processorTime()
    for (const part of ['a', 'a ', 'é']) regex.replace(part.repeat(30_000), () => '')
    const took = processorTime() - start
    t.ok(took < 2500, `${source} took ${took.toFixed(0)} ms on ${regex.engine}`)
  }
})

t.test('a pattern that looks at all of the text for every match is stopped', async t => {
  const regex = compileRegex('a(?:.*b)?')
  t.equal(regex.replace('a'.repeat(300), '-'), '-'.repeat(300))
  const start = processorTime()
  t.throws(() => regex.replace('a'.repeat(30_000), '-'), {
    code: 'InvalidArguments',
    message: /^"a\(\?:\.\*b\)\?" takes too long to find all matches: stopped at character \d+ of 30000/
  })
  const took = processorTime() - start
  t.ok(took < 10_000, `${took.toFixed(0)} ms`)
})

t.test('no pattern that goes to the native engine can be made slow', async t => {
  let slowest = 0
  let tried = 0
  const check = fc.check(
    fc.property(pattern, fc.constantFrom('a', 'ab', 'a1 ', '1', 'K.', 'aaab', ' '), (source, piece) => {
      const regex = tryCompile(source)
      if (regex?.engine !== 'native') return true
      tried++
      const line = `${piece.repeat(60_000 / piece.length)}!`
      const start = processorTime()
      regex.test(line)
      slowest = Math.max(slowest, processorTime() - start)
      return slowest < 400
    }),
    { numRuns: 2500 }
  )
  t.notOk(check.failed, `${slowest.toFixed(1)} ms; ${fc.defaultReportMessage(check) ?? ''}`)
  t.ok(tried > 200, `${tried} patterns`)
})

function tryCompile(source: string) {
  try {
    return compileRegex(source)
  } catch {
    return undefined
  }
}

t.test('line patterns go to the native engine, what could be slow does not', async t => {
  const engine = (source: string) => compileRegex(source).engine
  for (const source of [
    '^(\\S+) (\\S+) (\\S+) \\[([^\\]]+)\\] "(\\S+) (\\S+) ([^"]+)" (\\d{3}) (\\d+|-)',
    '^(?<month>[A-Z][a-z]{2}) +(?<day>\\d+) (?<rest>.*)$',
    'status=(?<v>\\d+) ',
    '(?i)^(?:error|warn|info)\\b',
    '\\x1b\\[[0-9;]*m',
    '\\d+',
    'a(?:b|c)*'
  ]) {
    t.equal(engine(source), 'native', source)
  }
  for (const source of [
    '(a+)+b',
    '=([^;]+)=',
    '(?:x|xy)z',
    '\\d+;',
    '\\d+$',
    '\\d+(?:,[\\d,]+x)?',
    '^(?:(a)|b)*c',
    '^(a*)?b',
    '\\pL',
    '^a*a'
  ]) {
    t.equal(engine(source), 're2', source)
  }
})

t.test('invalid syntax is refused with the reason', async t => {
  const cases: [string, RegExp][] = [
    ['a(b', /^"a\(b" is not a regular expression: missing closing \)/],
    ['a(?=b)', /invalid or unsupported Perl syntax/],
    ['(?<!a)b', /"\(\?<!a\)b" is not a regular expression: /],
    ['(a)\\1', /invalid escape sequence/],
    ['a**', /invalid nested repetition operator/],
    ['[z-a]', /invalid character class range/],
    ['a{1001}', /invalid repeat count/],
    ['\\p{Klingon}', /invalid character class range/],
    ['(?<a>x)(?<a>y)', /duplicate capture group name/]
  ]
  for (const [source, message] of cases) {
    t.throws(() => compileRegex(source), { code: 'InvalidArguments', message }, source)
  }
  t.throws(() => compileRegex('a', 'g'), /unknown flags 'g', expected letters of imsU/)
})

t.test('flags count for the whole pattern, names stand at their numbers', async t => {
  t.ok(compileRegex('^ab$', 'i').test('AB'))
  t.same(compileRegex('(?P<x>a)(b)(?<y>c)').names, [undefined, 'x', undefined, 'y'])
})

t.test('matches do not overlap, and an empty one does not touch the match before it', async t => {
  const all = (source: string, text: string) =>
    [...compileRegex(source).matchAll(text)].map(m => [m.start, m.groups[0]])
  t.same(all('a*', 'baaac'), [
    [0, ''],
    [1, 'aaa'],
    [5, '']
  ])
  t.same(all('', '😀b'), [
    [0, ''],
    [2, ''],
    [3, '']
  ])
  t.same(all('^a', 'aaa'), [[0, 'a']])
  t.same(all('[éa]', 'aéb a'), [
    [0, 'a'],
    [1, 'é'],
    [4, 'a']
  ])
})

t.test('a text does not grow beyond its limit, whichever engine replaces', async t => {
  for (const pattern of ['a', 'a|ab', 'é']) {
    const regex = compileRegex(pattern)
    const text = pattern.slice(0, 1).repeat(100)
    t.equal(regex.replace(text, 'xy', { maxLength: 200 }), 'xy'.repeat(100), pattern)
    const tooLong = { code: 'InvalidArguments', message: /more than 199 characters/ }
    t.throws(() => regex.replace(text, 'xy', { maxLength: 199 }), tooLong, pattern)
    t.throws(() => regex.replace(text, () => 'xy', { maxLength: 199 }), tooLong, pattern)
  }
})

t.test('templates name groups by number and by name', async t => {
  const regex = compileRegex('(?<key>\\w+)=(\\d*)')
  const replace = (template: string, limit?: number) =>
    regex.replace('a=1, b=2, c=', parseReplacement(template, regex.names), { limit })
  t.equal(replace('$2:$key'), '1:a, 2:b, :c')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
  t.equal(replace('${1}x'), 'ax, bx, cx')
  t.equal(replace('$1x'), ', , ')
  t.equal(replace('$$1'), '$1, $1, $1')
  t.equal(replace('$ ${'), '$ ${, $ ${, $ ${')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
  t.equal(replace('$9${no}-'), '-, -, -')
  t.equal(replace('-', 2), '-, -, c=')
  t.equal(
    regex.replace('nothing', () => 'x'),
    'nothing'
  )
})

t.test('a text that an expression matches contains its required texts', async t => {
  const text = fc.array(fc.constantFrom(...'abAB1K- .ks\u212aſéS'), { maxLength: 12 }).map(chars => chars.join(''))
  let found = 0
  fc.assert(
    fc.property(
      pattern,
      fc.constantFrom('', 'i', 's'),
      fc.array(text, { minLength: 5, maxLength: 5 }),
      (source, flags, texts) => {
        const needed = flags === '' ? requiredText(source) : undefined
        const plain = needed === undefined ? undefined : compileRegex(source)
        for (const each of texts) {
          if (plain?.test(each) && !each.includes(needed!))
            throw new Error(`${source} matches in '${each}' without ${needed}`)
        }
        const sets = requiredTexts(source, flags)
        if (sets.length === 0) return
        found++
        const regex = compileRegex(source, flags)
        for (const each of texts) {
          const lower = each.toLowerCase().replaceAll('ſ', 's')
          const isPossible = sets.every(set => set.some(one => lower.includes(one)))
          if (!isPossible && regex.test(each)) throw new Error(`${source} ${flags} matches in '${each}'`)
        }
      }
    ),
    { numRuns: 6000, seed: 11 }
  )
  t.ok(found > 500, `${found} expressions have some`)
  t.same(requiredTexts('(?:Chrome|Chromium)/(\\d+)')[0], ['chrome/', 'chromium/'])
  t.same(requiredTexts('[^/]+'), [])
  t.equal(requiredText('payment [0-9]+ of User .* was refused'), ' was refused')
  t.equal(requiredText('[^x]Foo+'), 'Fo')
  for (const source of ['(?i)abc', 'a|b', 'fo?', '(?:foo|bar)', '[^ -}]', '[^[:cntrl:] -}]x?', '\\x41?']) {
    t.equal(requiredText(source), undefined, source)
  }
})

t.test('expressions that hold the event loop while they are compiled are refused', t => {
  t.throws(() => compileRegex('a'.repeat(32_769)), { message: /it has 32769 characters, at most 32768 are taken/ })
  t.throws(() => compileRegex('(?i)\\pL'.repeat(501)), { message: /it has 501 classes of Unicode .*, at most 500/ })
  t.throws(() => compileRegex('[\\PL]'.repeat(501)), { message: /501 classes of Unicode/ })
  t.ok(compileRegex('\\p{Greek}'.repeat(500)).test('α'.repeat(500)))
  const budget = new RegexBudget()
  for (let i = 0; i < 50; i++) budget.take('x'.repeat(50))
  t.throws(() => budget.take(''), { message: /more than 10000 characters; 150 are added for each/ })
  t.throws(() => new RegexBudget().take('a{1000}'.repeat(10)), { message: /more than 10000/ }, 'steps of repetitions')
  t.throws(() => new RegexBudget().take('\\pL'.repeat(200)), { message: /more than 10000/ }, 'classes of Unicode')
  t.throws(() => new RegexBudget({ max: 200, key: 'a.b' }).take('x'.repeat(51)), { message: /200 characters \(a\.b\)/ })
  t.end()
})

t.test('a choice of plain words accepts what its expression does', t => {
  const texts = ['a', 'b-1', '10.0', '10x0', 'a|b-1', '', 'ab-1']
  for (const pattern of ['a', 'a|b-1', '(a|b-1)', '10\\.0|a', 'a|', '10.0', '.*', '.+', '(a)|(b-1)']) {
    const regex = compileWhole(pattern)
    const test = wholeTest('x', pattern)
    for (const text of texts) t.equal(test(text), regex.test(text), `${pattern}, ${text}`)
  }
  t.end()
})

t.test('an expression for whole texts is valid by itself', t => {
  for (const source of ['a)(b', '(a))|((b)', '[(])(?:b', '(', '\\']) {
    const valid = t.throws(() => compileRegex(source)) as Error
    t.throws(() => compileWhole(source), { message: valid.message })
  }
  t.ok(compileWhole('[)(]|\\)|\\Q)\\E.').test(')\n'))
  t.notOk(compileWhole('a').test('ba'))
  t.end()
})

t.test('repetitions that make a short expression long are refused before they are compiled', t => {
  const refused = (source: string) =>
    t.throws(() => compileRegex(source), {
      code: 'InvalidArguments',
      message: /its repetitions make it \d+ steps long/
    })
  const began = processorTime()
  refused('a{1000}'.repeat(1000))
  refused('(?:[a-z]b){500,}'.repeat(100))
  refused('(?:(?:x{30}y){30}z){30}')
  refused('\\pL{1000}'.repeat(50))
  refused('\\Qab{\\E{900}'.repeat(50))
  refused('[]\\]{}[:alpha:]]{800}'.repeat(60))
  t.ok(processorTime() - began < 500)
  for (const source of [
    'a{1000}'.repeat(20),
    '[{9}]{3}\\{9999}',
    '\\Q{99999}\\E'.repeat(9),
    '{5}a{,5}',
    'x'.repeat(50_000)
  ]) {
    const compile = () => compileRegex(source)
    try {
      compile()
    } catch (error) {
      t.notMatch((error as Error).message, /repetitions/, source)
    }
  }
  t.ok(compileRegex('a{3}').size > 3)
  t.end()
})
