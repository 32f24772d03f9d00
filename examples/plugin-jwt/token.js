// A token's claims, once its signature and its times are found right (RFC 7515, RFC 7519). Throws an Error that says what is wrong.
import { verify } from 'node:crypto'

/** By the name of the algorithm: the kind of key it needs, and how a signature is checked. The key decides, never the token alone. */
const algorithms = {
  RS256: { key: 'rsa', check: (data, key, signature) => verify('sha256', data, key, signature) },
  ES256: {
    key: 'ec',
    check: (data, key, signature) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature)
  },
  EdDSA: { key: 'ed25519', check: (data, key, signature) => verify(null, data, key, signature) }
}

export async function readToken(token, keys, { audience, leeway }) {
  const [head, body, signature, ...more] = token.split('.')
  if (!signature || more.length > 0) throw new Error('it has not three parts')
  const { alg, kid = '' } = decode(head)
  const algorithm = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  if (algorithm === undefined) throw new Error(`algorithm ${alg} is none of ${Object.keys(algorithms).join(', ')}`)
  const key = await keys.find(kid)
  if (key === undefined) throw new Error(`key ${kid} is not known`)
  if (key.asymmetricKeyType !== algorithm.key) throw new Error(`key ${kid} is not for ${alg}`)
  const signed = Buffer.from(`${head}.${body}`)
  if (!algorithm.check(signed, key, Buffer.from(signature, 'base64url'))) throw new Error('the signature is wrong')
  const claims = decode(body)
  const now = Date.now()
  if (!(claims.exp * 1000 > now - leeway)) throw new Error('it has ended, or names no end')
  if (claims.nbf !== undefined && !(claims.nbf * 1000 <= now + leeway)) throw new Error('it has not begun')
  if (keys.issuer !== undefined && claims.iss !== keys.issuer)
    throw new Error(`issuer ${claims.iss} is not ${keys.issuer}`)
  if (![claims.aud].flat().includes(audience)) throw new Error(`audience ${claims.aud} is not ${audience}`)
  return claims
}

function decode(part) {
  const value = JSON.parse(Buffer.from(part, 'base64url').toString())
  if (typeof value !== 'object' || value === null) throw new Error('a part of it is no object')
  return value
}
