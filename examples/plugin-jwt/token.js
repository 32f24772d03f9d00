// A token's claims, once its signature and its times are found right (RFC 7515, RFC 7519). Throws an Error that says what is wrong.
import { verify } from 'node:crypto'

/** @import { KeyObject } from 'node:crypto' */
/** @import { Keys } from './keys.js' */

/**
 * What a token says. Times are seconds since 1970.
 * @typedef {Readonly<Record<string, unknown>> & { readonly exp: number }} Claims
 */

/**
 * What makes the signature of a token: the kind of key it needs, and how a signature is checked.
 * @typedef {object} Algorithm
 * @property {string} key
 * @property {(data: Buffer, key: KeyObject, signature: Buffer) => boolean} check
 */

/** By name. The key decides, never the token alone. @type {ReadonlyMap<unknown, Algorithm>} */
const algorithms = new Map([
  ['RS256', { key: 'rsa', check: (data, key, signature) => verify('sha256', data, key, signature) }],
  [
    'ES256',
    {
      key: 'ec',
      check: (data, key, signature) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
    }
  ],
  ['EdDSA', { key: 'ed25519', check: (data, key, signature) => verify(null, data, key, signature) }]
])

/**
 * The claims of a token that is right.
 * @param {string} token
 * @param {Keys} keys
 * @param {{ readonly audience: string, readonly leeway: number }} options `leeway`: milliseconds that clocks may differ
 * @returns {Promise<Claims>}
 */
export async function readToken(token, keys, { audience, leeway }) {
  const [head, body, signature, ...more] = token.split('.')
  if (!signature || more.length > 0) throw new Error('it has not three parts')
  const { alg, kid = '' } = decode(head)
  const algorithm = algorithms.get(alg)
  if (algorithm === undefined) throw new Error(`algorithm ${alg} is none of ${[...algorithms.keys()].join(', ')}`)
  const key = await keys.find(kid)
  if (key === undefined) throw new Error(`key ${kid} is not known`)
  if (key.asymmetricKeyType !== algorithm.key) throw new Error(`key ${kid} is not for ${alg}`)
  const signed = Buffer.from(`${head}.${body}`)
  if (!algorithm.check(signed, key, Buffer.from(signature, 'base64url'))) throw new Error('the signature is wrong')
  const claims = decode(body)
  const { exp, nbf, iss, aud } = claims
  const now = Date.now()
  if (typeof exp !== 'number' || !(exp * 1000 > now - leeway)) throw new Error('it has ended, or names no end')
  if (nbf !== undefined && !(Number(nbf) * 1000 <= now + leeway)) throw new Error('it has not begun')
  if (keys.issuer !== undefined && iss !== keys.issuer) throw new Error(`issuer ${iss} is not ${keys.issuer}`)
  if (![aud].flat().includes(audience)) throw new Error(`audience ${aud} is not ${audience}`)
  return { ...claims, exp }
}

/**
 * @param {string} part JSON in base64url
 * @returns {Readonly<Record<string, unknown>>}
 */
function decode(part) {
  const value = JSON.parse(Buffer.from(part, 'base64url').toString())
  if (typeof value !== 'object' || value === null) throw new Error('a part of it is not an object')
  return value
}
