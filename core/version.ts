// The version of the running server, from its package.json.
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

const manifest = JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, 'utf8'))

/** For example `0.1.0`. */
export const version: string = manifest.version

/** The commit a published package was made from; empty when unknown. */
export const commit: string = manifest.gitHead ?? ''
