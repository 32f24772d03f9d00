import t from 'tap'
import { parseCredentials } from '../../../core/auth/credentials.ts'

const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`

t.test('Basic credentials split at the first colon', async t => {
  t.strictSame(parseCredentials(basic('mia:a:b=c')), { kind: 'password', user: 'mia', password: 'a:b=c' })
  t.strictSame(parseCredentials(basic('mïa:ö').replace('Basic', 'bAsIc')), {
    kind: 'password',
    user: 'mïa',
    password: 'ö'
  })
  t.strictSame(parseCredentials(basic(':')), { kind: 'password', user: '', password: '' })
})

t.test('Bearer credentials are a token', async t => {
  t.strictSame(parseCredentials('bearer abc.def'), { kind: 'bearer', token: 'abc.def' })
})

t.test('unreadable credentials are refused with the reason, without their text', async t => {
  t.throws(() => parseCredentials(undefined), { code: 'AuthHeaderNotFound', status: 401 })
  const bad: [string, RegExp][] = [
    ['', /expected a scheme/],
    ['Basic', /one space and standard base64/],
    [`Basic  ${Buffer.from('a:b').toString('base64')}`, /one space/],
    ['Basic bWlh*', /standard base64/],
    [basic('no-colon'), /expected base64 of user:password/],
    [basic(new Uint8Array([0xff, 0x3a, 0x61])), /not UTF-8/],
    ['Bearer', /Bearer and a token/],
    ['Digest username="x"', /^Unsupported http auth scheme, name: digest$/]
  ]
  for (const [header, message] of bad)
    t.throws(() => parseCredentials(header), { code: 'InvalidAuthHeader', status: 401, message }, header)
})
