import t from 'tap'
import { run } from './run.ts'

t.test('random numbers stay in their range', async t => {
  const bounds = '{"a":-9223372036854775808,"b":9223372036854775807}'
  for (let i = 0; i < 50; i++) {
    t.match(run('random_int(-2, 1)'), /^(-2|-1|0)$/)
    t.match(run('random_int!(int!(.a), int!(.b))', bounds), /^-?\d+$/)
    t.match(run('x = random_float(-0.5, 0.5)\nx >= -0.5 && x < 0.5'), 'true')
  }
})

t.test('a range that is none is refused when it is known, and fails otherwise', async t => {
  t.match(run('random_int(2, 1)'), 'error[E403]')
  t.match(run('random_float(1.0, 1.0)'), 'error[E403]')
  t.match(run('random_int!(int!(.a), 1)', '{"a":1}'), 'max must be greater than min')
  t.match(run('x = random_int(int!(.a), 1)', '{"a":1}'), 'error[E103]')
})

t.test('random bytes are limited', async t => {
  t.equal(run('length(random_bytes(65536))'), '65536')
  t.equal(run('random_bytes(0)'), '""')
  t.match(run('random_bytes(65537)'), 'Length is too large. Maximum is 64k')
  t.match(run('random_bytes(-1)'), 'Length cannot be negative')
  t.match(run('random_bytes!(int!(.n))', '{"n":65537}'), 'Length is too large. Maximum is 64k')
})

t.test('identifiers have their version', async t => {
  t.match(run('uuid_v4()'), /^"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}"$/)
  t.match(run('uuid_v7()'), /^"[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}"$/)
  t.match(run("uuid_v7(t'1960-01-01T00:00:00Z')"), /^"00000000-0000-7/)
  const first = Number.parseInt(run('uuid_v7()').slice(1, 14).replace('-', ''), 16)
  t.ok(Math.abs(first - Date.now()) < 5000)
})

t.test('identifiers in base 62 have 128 bits', async t => {
  t.equal(run('uuid_from_friendly_id!("7n42DGM5Tflk9n8mt7Fhc7")'), '"ffffffff-ffff-ffff-ffff-ffffffffffff"')
  t.match(run('uuid_from_friendly_id!("7n42DGM5Tflk9n8mt7Fhc8")'), 'does not fit into 128 bits')
  t.match(run('uuid_from_friendly_id!(.s)', JSON.stringify({ s: 'z'.repeat(1_000_000) })), 'does not fit into 128 bits')
  t.match(run('uuid_from_friendly_id!("")'), 'empty')
})
