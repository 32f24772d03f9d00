// A registry of packages as small as npm takes one: what is published to it, and of all others the versions this repository is locked to,
// whose files npm has in its cache or fetches from where they lie.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Test } from 'tap'
import { npm, root } from './package.ts'

/** What a registry knows of a version: its manifest, and where its files are. */
type Version = Record<string, unknown> & { readonly version: string; readonly dist: { tarball: string } }

interface Packument {
  readonly name: string
  readonly versions: Readonly<Record<string, Version>>
  readonly _attachments?: Readonly<Record<string, { readonly data: string }>>
}

export interface Registry {
  /** Options for npm. */
  readonly options: readonly string[]
  /** Manifest of the one version that was published. */
  published(name: string): Version
  publish(folder: string): Promise<unknown>
}

export async function startRegistry(t: Pick<Test, 'teardown'>): Promise<Registry> {
  const published = new Map<string, Packument>()
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const upstream = (await npm(root, 'config', 'get', 'registry')).trim().replace(/\/$/, '')
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url!.slice(1).split('?')[0]!)
    if (request.method === 'PUT') {
      published.set(path, (await json(request)) as Packument)
      return response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
    }
    const file = /^([^/]+)\/-\/[^/]+\.tgz$/.exec(path)
    const attached = file && Object.values(published.get(file[1]!)?._attachments ?? {})[0]
    if (attached) return response.end(Buffer.from(attached.data, 'base64'))
    const found = published.get(path) ?? lockedPackage(locked, path, upstream)
    if (found === undefined) return response.writeHead(404).end('{}')
    const [latest] = Object.keys(found.versions).slice(-1)
    const body = { name: path, 'dist-tags': { latest }, versions: found.versions }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  const address = `//127.0.0.1:${(server.address() as AddressInfo).port}/`
  const options = [
    ...[`--registry=http:${address}`, `--${address}:_authToken=any`, '--replace-registry-host=never'],
    ...['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  ]
  return {
    options,
    published: name => Object.values(published.get(name)!.versions)[0]!,
    publish: folder => npm(root, 'publish', folder, ...options)
  }
}

/** Every version of the package that is installed in this repository. */
function lockedPackage(
  locked: Record<string, Record<string, unknown>>,
  name: string,
  upstream: string
): Packument | undefined {
  const found = Object.entries(locked).filter(([path]) => path.endsWith(`node_modules/${name}`))
  const versions = found.map(([, { integrity, dev: _, optional: __, ...manifest }]) => {
    const tarball = `${upstream}/${name}/-/${name.split('/').at(-1)}-${manifest['version']}.tgz`
    return [manifest['version'], { name, ...manifest, dist: { tarball, integrity } }] as const
  })
  return versions.length === 0 ? undefined : { name, versions: Object.fromEntries(versions) }
}
