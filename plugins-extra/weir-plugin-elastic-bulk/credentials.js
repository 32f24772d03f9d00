// API keys as these senders have them: `Authorization: ApiKey base64(id:key)` is the user `id` with the password `key`.
import { DbError } from 'weir-server'

/** @import { Credentials } from 'weir-server' */

/**
 * Undefined for other schemes. Throws DbError `InvalidAuthHeader` for a key that cannot be read.
 * @param {string | undefined} header `Authorization`
 * @returns {Credentials | undefined}
 */
export function credentialsOf(header = '') {
  const encoded = /^apikey (.*)$/i.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const key = /^([^:]*):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString())
  if (key === null)
    throw new DbError('InvalidAuthHeader', 'invalid Authorization header: expected ApiKey and the base64 of id:key')
  const [, user, password] = key
  return { kind: 'password', user, password }
}
