// The example plugin for authentication: tokens of an identity provider and of a file, and invalid ones.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { Type } from 'typebox'
import { definePlugin, type User } from '../../core/index.ts'
import { startServer, temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')

const makers = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519')
}

function makeKey(alg: keyof typeof makers, kid: string) {
  const { publicKey, privateKey } = makers[alg]() as { publicKey: KeyObject; privateKey: KeyObject }
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const later = Math.floor(Date.now() / 1000) + 600
  return {
    jwk,
    token(claims: object = {}, header: object = {}) {
      const text = `${part({ alg, kid, ...header })}.${part({ sub: 'mia', aud: 'weir', exp: later, weir: 'rw', ...claims })}`
      const key = alg === 'ES256' ? { key: privateKey, dsaEncoding: 'ieee-p1363' as const } : privateKey
      return `${text}.${sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(text), key).toString('base64url')}`
    }
  }
}

async function serve(t: Test, keys: string, more = '') {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'node_modules'))
  cpSync(join(root, 'examples/plugin-jwt'), join(folder, 'node_modules/weir-plugin-jwt'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/weir-server'))
  const toml = `user_provider = "plugin:jwt"\n[plugins.jwt]\nmodule = "weir-plugin-jwt"\naudience = "weir"\nkeys = "${keys}"\n${more}`
  const server = await startServer(t, toml, { folder })
  const ask = async (token: string | undefined, sql = 'SELECT 1', db = 'public') => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const url = `/v1/sql?${new URLSearchParams({ sql, db })}`
    return (await server.main.inject({ url, headers })).statusCode
  }
  return { ...server, ask }
}

t.test('tokens of each algorithm, the rights they give, and what is refused', async t => {
  const file = join(temporaryFolder(t), 'keys.json')
  const keys = { RS256: makeKey('RS256', 'a'), ES256: makeKey('ES256', 'b'), EdDSA: makeKey('EdDSA', 'c') }
  const write = (...list: readonly { readonly jwk: object }[]) =>
    writeFileSync(file, JSON.stringify({ keys: list.map(({ jwk }) => jwk) }))
  write(...Object.values(keys))
  const { ask, reload, main, core } = await serve(t, file, 'issuer = "me"\n')
  const good = { iss: 'me' }
  for (const [alg, key] of Object.entries(keys)) t.equal(await ask(key.token(good)), 200, alg)
  const { token } = keys.ES256
  t.equal(await ask(token({ ...good, aud: ['x', 'weir'] })), 200)

  t.equal(await ask(token(good), 'CREATE DATABASE own'), 200)
  t.equal(await ask(token({ ...good, weir: 'ro' })), 200)
  t.equal(await ask(token({ ...good, weir: 'ro' }), 'CREATE DATABASE other'), 403)
  t.equal(await ask(token({ ...good, weir: 'wo' })), 403)
  t.equal(await ask(token({ ...good, weir: { own: 'ro' } }), 'SELECT 1', 'own'), 200)
  t.equal(await ask(token({ ...good, weir: { own: 'ro' } }), 'SELECT 1', 'public'), 403)

  const past = Math.floor(Date.now() / 1000) - 3600
  const [head, body, signature] = token(good).split('.') as [string, string, string]
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  const refused: Record<string, string> = {
    'no issuer': token(),
    'another issuer': token({ iss: 'you' }),
    'another audience': token({ ...good, aud: 'grafana' }),
    'no end': token({ ...good, exp: undefined }),
    'an end that is over': token({ ...good, exp: past }),
    'a begin that is not yet': token({ ...good, nbf: past + 7200 }),
    'no rights': token({ ...good, weir: undefined }),
    'rights that are none': token({ ...good, weir: 'admin' }),
    'rights in a database that are none': token({ ...good, weir: { own: 'all' } }),
    'no user': token({ ...good, sub: '' }),
    'an unknown key': makeKey('ES256', 'z').token(good),
    "another's signature": makeKey('ES256', 'b').token(good),
    'a key for another algorithm': token(good, { kid: 'a' }),
    'no algorithm': `${unsigned}.${body}.`,
    'no algorithm, with a signature': `${unsigned}.${body}.${signature}`,
    'an algorithm of objects': token(good, { alg: 'constructor' }),
    'a part too few': `${head}.${body}`,
    'a part too many': `${token(good)}.x`,
    'no token': 'abc'
  }
  for (const [what, text] of Object.entries(refused)) t.equal(await ask(text), 401, what)
  t.equal(await ask(undefined), 401, 'nothing')
  const authorization = `Basic ${Buffer.from('mia:p').toString('base64')}`
  t.equal(
    (await main.inject({ url: '/v1/sql?sql=SELECT+1', headers: { authorization } })).statusCode,
    401,
    'a password'
  )

  const next = makeKey('ES256', 'n')
  t.equal(await ask(next.token(good)), 401)
  write(next)
  await reload(core.config)
  t.equal(await ask(next.token(good)), 200, 'a reload reads the keys again')
  t.equal(await ask(token(good)), 401, 'and those that are gone count no more')
})

t.test('a provider is asked for its keys, and again when it has a new one', async t => {
  const first = makeKey('RS256', '1')
  const second = makeKey('RS256', '2')
  let keys = [first.jwk]
  let asked = 0
  const provider = createServer((request, response) => {
    if (request.url === '/realm/.well-known/openid-configuration')
      return response.end(JSON.stringify({ jwks_uri: `${address}/keys` }))
    asked++
    return response.end(JSON.stringify({ keys }))
  }).listen(0, '127.0.0.1')
  t.teardown(() => provider.close())
  await once(provider, 'listening')
  const address = `http://127.0.0.1:${(provider.address() as { port: number }).port}`
  const { ask } = await serve(t, `${address}/realm`, 'refresh = "1s"\n')
  const good = { iss: `${address}/realm` }
  t.equal(await ask(first.token(good)), 200)
  keys = [second.jwk]
  await new Promise(resolve => setTimeout(resolve, 1100))
  t.equal(await ask(second.token(good)), 200)
  const before = asked
  t.equal(await ask(makeKey('RS256', '3').token(good)), 401)
  t.equal(asked, before, 'not at every token that somebody makes up')
})

t.test('a plugin that cannot be asked stops the start; what it answers is checked', async t => {
  const users = (authenticate?: () => User) =>
    definePlugin({
      name: 'mine',
      prefix: '',
      servers: [],
      config: Type.Object({}),
      ...(authenticate && { authenticate })
    })
  const toml = 'user_provider = "plugin:mine"'
  await t.rejects(startServer(t, toml), { message: /user_provider: there is no plugin mine that runs/ })
  await t.rejects(startServer(t, toml, { plugins: [users()] }), { message: /plugin mine knows no users/ })
  for (const wrong of [
    {},
    { name: 'mia' },
    { name: 'mia', mode: 'admin' },
    { name: 'mia', mode: 'rw', databases: {} },
    null
  ]) {
    const { main } = await startServer(t, toml, { plugins: [users(() => wrong as unknown as User)] })
    const headers = { authorization: 'Bearer x' }
    t.equal((await main.inject({ url: '/v1/sql?sql=SELECT+1', headers })).statusCode, 500, JSON.stringify(wrong))
  }
})
