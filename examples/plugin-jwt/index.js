// Users by JSON Web Tokens: Authorization: Bearer TOKEN, signed by a key of an OpenID Connect provider or of a file.
import { count, DbError, definePlugin, duration, Type } from 'weir-server'
import { createKeys } from './keys.js'
import { readToken } from './token.js'
import { userOf } from './user.js'

/** @import { Credentials, User } from 'weir-server' */

/** @param {string} byDefault @param {string} description */
const text = (byDefault, description) => Type.String({ default: byDefault, description })

export default definePlugin({
  name: 'jwt',
  api: 1,
  prefix: '',
  servers: [],
  // The file of keys is read again at every reload.
  rereads: true,
  config: Type.Object({
    keys: Type.String({
      minLength: 1,
      description:
        'Public keys (JWKS): a file, or the address of an OpenID Connect provider (`https://login.example.org/realm`).'
    }),
    issuer: text('', 'What `iss` must be. Empty: anything; with a provider its address.'),
    audience: Type.String({
      minLength: 1,
      description: 'What must be in `aud`: the name of this server at the issuer.'
    }),
    user_claim: text('sub', 'Claim with the name of the user.'),
    rights_claim: text(
      'weir',
      'Claim with the rights: `rw`, `ro` or `wo`, or an object from databases to these. Without the claim nobody is let in.'
    ),
    leeway: duration(30_000, 'How far clocks may differ.'),
    refresh: duration(
      60_000,
      'A provider is asked for its keys again after a key that is not known, at most so often.',
      {
        minimum: 1000
      }
    ),
    max_tokens: count(10_000, 'Tokens that are remembered until they end; of others the signature is checked again.')
  }),
  async setup(core, config) {
    const keys = await createKeys(config, core)
    /** By token, the oldest first; `until` is milliseconds since 1970. @type {Map<string, { user: User, until: number }>} */
    const known = new Map()
    return {
      keys,
      known,
      /**
       * Rejects with a DbError for whoever is nobody.
       * @param {Credentials} credentials
       */
      async authenticate(credentials) {
        if (credentials.kind !== 'bearer') throw refused()
        const { token } = credentials
        const before = known.get(token)
        if (before !== undefined && before.until > Date.now()) return before.user
        known.delete(token)
        try {
          const claims = await readToken(token, keys, config)
          const user = userOf(claims, config)
          const oldest = known.keys().next().value
          if (oldest !== undefined && known.size >= config.max_tokens) known.delete(oldest)
          known.set(token, { user, until: claims.exp * 1000 })
          return user
        } catch (error) {
          core.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'a token was refused')
          throw refused()
        }
      }
    }
  },
  authenticate: (credentials, service) => service.authenticate(credentials),
  async reload(_config, { keys, known }) {
    await keys.load()
    known.clear()
  }
})

/** Why is only in the log. */
function refused() {
  return new DbError('UserPasswordMismatch', 'the token is not valid')
}
