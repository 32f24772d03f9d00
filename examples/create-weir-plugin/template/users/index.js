// Says who somebody is: with user_provider = "plugin:mine" each request under /v1 is asked about here.
import { createHash, timingSafeEqual } from 'node:crypto'
import { DbError, definePlugin, Type } from 'weir-server'

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '',
  servers: [],
  config: Type.Object({
    keys: Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1, description: 'The user.' }),
        sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the key, in hex.' }),
        mode: Type.Union([Type.Literal('rw'), Type.Literal('ro'), Type.Literal('wo')], { default: 'ro' })
      }),
      { default: [], description: 'API keys, sent as Authorization: Bearer KEY.' }
    )
  }),
  setup(_core, { keys }) {
    return {
      /** @param {string} key */
      userOf(key) {
        const digest = createHash('sha256').update(key).digest()
        // All are compared, so that the time tells nothing of them.
        return keys.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), digest))[0]
      }
    }
  },
  authenticate(credentials, service) {
    const known = credentials.kind === 'bearer' ? service.userOf(credentials.token) : undefined
    if (known === undefined) throw new DbError('UserPasswordMismatch', 'the key is unknown')
    return { name: known.name, mode: known.mode }
  }
})
