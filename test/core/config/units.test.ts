import t from 'tap'
import { formatDuration, formatSize, parseDuration, parseSize, parseTtl } from '../../../core/config/units.ts'

t.test('durations are read with every unit, joined or spaced, in any case but M', async t => {
  const cases: [string, number][] = [
    ['30s', 30_000],
    ['1m 30s', 90_000],
    ['1h30m', 5_400_000],
    ['1hour 12min 5s', 4_325_000],
    ['7days', 604_800_000],
    ['1D', 86_400_000],
    ['2w', 1_209_600_000],
    ['500ms', 500],
    ['1.5s', 1500],
    ['1month', 2_630_016_000],
    ['1M', 2_630_016_000],
    ['1m', 60_000],
    ['1year', 31_557_600_000],
    ['0s', 0],
    ['0', 0],
    ['250us', 0.25],
    ['1000ns', 0.001]
  ]
  for (const [text, milliseconds] of cases) t.equal(parseDuration(text), milliseconds, text)
})

t.test('text that is not a duration is none', async t => {
  for (const text of ['', ' ', '5', '-1s', 's', '1x', '1s foo', '1e3s', '1s,'])
    t.equal(parseDuration(text), undefined, text)
})

t.test('durations print in their largest units, days in words, and read back the same', async t => {
  const cases: [string, string][] = [
    ['7d', '7days'],
    ['24h', '1day'],
    ['2weeks', '14days'],
    ['6h', '6h'],
    ['90s', '1m 30s'],
    ['30.44d', '1month'],
    ['1year 1month', '1year 1month'],
    ['100ms', '100ms'],
    ['250us', '250us'],
    ['0s', '0s']
  ]
  for (const [text, canonical] of cases) {
    t.equal(formatDuration(parseDuration(text)!), canonical, text)
    t.equal(parseDuration(canonical), parseDuration(text), canonical)
  }
})

t.test('sizes count in powers of 1024 whatever the spelling', async t => {
  for (const text of ['64MiB', '64MB', '64M', '64m', '65536K', ' 64 mib ', '67108864', '67108864B'])
    t.equal(parseSize(text), 64 * 1024 ** 2, text)
  t.equal(parseSize('1.5GiB'), 1536 * 1024 ** 2)
  for (const text of ['', 'MiB', '-1K', '1 X', '9999999P']) t.equal(parseSize(text), undefined, text)
})

t.test('sizes print with the largest exact unit', async t => {
  t.equal(formatSize(64 * 1024 ** 2), '64MiB')
  t.equal(formatSize(1536 * 1024 ** 2), '1536MiB')
  t.equal(formatSize(2 * 1024 ** 4), '2TiB')
  t.equal(formatSize(0), '0KiB')
  t.equal(formatSize(1025), '1025B')
})

t.test('a time to live is a duration, forever or instant', async t => {
  t.equal(parseTtl('7d'), '7days')
  t.equal(parseTtl('1hour 12min 5s'), '1h 12m 5s')
  for (const text of ['', 'NULL', 'forever', '0s', '0']) t.equal(parseTtl(text), 'forever', text)
  t.equal(parseTtl('Instant'), 'instant')
  t.throws(() => parseTtl('soon'), { code: 'InvalidArguments', message: /invalid ttl "soon": expected a duration/ })
})
