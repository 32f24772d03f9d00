// Public keys by their id: of a file, or of an OpenID Connect provider, which is asked again when it has new ones.
import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Milliseconds a provider may take to answer. */
const patience = 10_000

/** Rejects when the keys cannot be read. */
export async function createKeys({ keys: source, issuer, refresh }, core) {
  const isProvider = /^https?:\/\//.test(source)
  let known = new Map()
  let loaded = 0
  let loading
  const read = async () => {
    loaded = Date.now()
    const { keys } = isProvider ? await fetchKeys(source) : JSON.parse(await readFile(source, 'utf8'))
    if (!Array.isArray(keys)) throw new Error(`${source} holds no list of keys`)
    const signing = keys.filter(({ use = 'sig' }) => use === 'sig')
    known = new Map(signing.map(jwk => [jwk.kid ?? '', createPublicKey({ key: jwk, format: 'jwk' })]))
  }
  const load = () => {
    loading ??= read().finally(() => {
      loading = undefined
    })
    return loading
  }
  await load()
  return {
    issuer: issuer || (isProvider ? source : undefined),
    load,
    /** Undefined where there is none of this id. */
    async find(id) {
      if (!known.has(id) && isProvider && Date.now() - loaded >= refresh) {
        await load().then(
          () => core.report('jwt', { state: 'ok' }),
          error => core.report('jwt', { state: 'degraded', reason: `the keys cannot be read: ${error.message}` })
        )
      }
      return known.get(id)
    }
  }
}

async function fetchKeys(provider) {
  const discovery = new URL(`${provider.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { jwks_uri: address } = await fetchJson(discovery)
  return fetchJson(address)
}

async function fetchJson(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  return answer.json()
}
