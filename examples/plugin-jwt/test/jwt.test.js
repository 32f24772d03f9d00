import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { readToken } from '../token.js'
import { userOf } from '../user.js'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const names = { user_claim: 'sub', rights_claim: 'weir' }
const options = { audience: 'weir', leeway: 0 }

/** Keys of which one is known. @type {import('../keys.js').Keys} */
const keys = {
  issuer: undefined,
  load: async () => {},
  find: async id => (id === 'a' ? publicKey : undefined)
}

/** @param {object} claims @param {object} header */
function tokenOf(claims, header = { alg: 'EdDSA', kid: 'a' }) {
  const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

test('a token that is right gives its claims', async () => {
  const exp = Math.floor(Date.now() / 1000) + 60
  const claims = { sub: 'mia', aud: ['weir'], exp, weir: 'ro' }
  assert.deepEqual(await readToken(tokenOf(claims), keys, options), claims)
  await assert.rejects(readToken(tokenOf({ ...claims, exp: exp - 120 }), keys, options), /it has ended/)
  await assert.rejects(readToken(tokenOf({ ...claims, aud: 'other' }), keys, options), /audience/)
  await assert.rejects(readToken(tokenOf(claims, { alg: 'EdDSA', kid: 'b' }), keys, options), /key b is not known/)
  await assert.rejects(readToken(tokenOf(claims, { alg: 'none' }), keys, options), /algorithm none/)
})

test('claims say who somebody is', () => {
  assert.deepEqual(userOf({ exp: 0, sub: 'mia', weir: 'rw' }, names), { name: 'mia', mode: 'rw' })
  const databases = new Map(Object.entries({ metrics: 'ro', logs: 'rw' }))
  assert.deepEqual(userOf({ exp: 0, sub: 'mia', weir: { metrics: 'ro', logs: 'rw' } }, names), {
    ...{ name: 'mia', mode: 'rw' },
    databases
  })
  assert.throws(() => userOf({ exp: 0, weir: 'rw' }, names), /names no user/)
  assert.throws(() => userOf({ exp: 0, sub: 'mia', weir: { logs: 'all' } }, names), /must give rw, ro or wo/)
})
