// The version of the running server, from its package.json.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

const manifest = JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, 'utf8'))

/** Version of the server, for example `0.1.0`. */
export const version: string = manifest.version

/** Git commit a published package was built from; empty if unknown. */
export const commit: string = manifest.gitHead ?? ''
