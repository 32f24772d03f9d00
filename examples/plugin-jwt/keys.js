// Public keys by their id: of a file, or of an OpenID Connect provider, which is asked again when it has new ones.
import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** @import { JsonWebKey, KeyObject } from 'node:crypto' */
/** @import { PluginCore } from 'weir-server' */

/**
 * The keys of an issuer.
 * @typedef {object} Keys
 * @property {string | undefined} issuer what `iss` of its tokens must be; undefined: anything
 * @property {() => Promise<void>} load Reads them again. Rejects when they cannot be read: those of before count further on.
 * @property {(id: unknown) => Promise<KeyObject | undefined>} find Undefined where there is none of this id.
 */

/**
 * `keys` is where they are, `refresh` milliseconds between two requests to a provider.
 * @typedef {{ readonly keys: string, readonly issuer: string, readonly refresh: number }} KeyOptions
 */

/** Milliseconds a provider may take to answer. */
const patience = 10_000

/**
 * Rejects when the keys cannot be read.
 * @param {KeyOptions} options
 * @param {PluginCore} core
 * @returns {Promise<Keys>}
 */
export async function createKeys({ keys: source, issuer, refresh }, core) {
  const isProvider = /^https?:\/\//.test(source)
  /** By id. @type {ReadonlyMap<unknown, KeyObject>} */
  let known = new Map()
  let loaded = 0
  /** @type {Promise<void> | undefined} */
  let loading
  const read = async () => {
    loaded = Date.now()
    /** @type {{ keys?: (JsonWebKey & { use?: string, kid?: string })[] }} */
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
    async find(id) {
      if (!known.has(id) && isProvider && Date.now() - loaded >= refresh) {
        await load().then(
          () => core.report({ state: 'ok' }),
          error => core.report({ state: 'degraded', reason: `the keys cannot be read: ${error.message}` })
        )
      }
      return known.get(id)
    }
  }
}

/** @param {string} provider */
async function fetchKeys(provider) {
  const discovery = new URL(`${provider.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const { jwks_uri: address } = await fetchJson(discovery)
  return fetchJson(address)
}

/** @param {string | URL} url */
async function fetchJson(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  return answer.json()
}
