// API keys as these senders have them: `Authorization: ApiKey base64(id:key)` is the user `id` with the password `key`.
import { DbError } from 'weir-server'

/** Undefined for other schemes. Throws DbError for a key that cannot be read. */
export function credentialsOf(header) {
  const [, encoded] = /^apikey (.*)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const [, user, password] = /^([^:]*):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (user === undefined)
    throw new DbError('InvalidAuthHeader', 'invalid Authorization header: expected ApiKey and the base64 of id:key')
  return { kind: 'password', user, password }
}
