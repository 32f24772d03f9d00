// Loads third-party modules: by name from the operator's node_modules, or by path.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire, findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import satisfies from 'semver/functions/satisfies.js'
import { reasonOf } from './errors.ts'
import { apiProblem, isPlugin } from './plugin.ts'
import { version } from './version.ts'
import { importForeign, installed } from './workers/import.ts'

const ownName = 'weir-server'

/** Files checked for the one with a syntax error. */
const maxChecked = 20

/**
 * Imports a package name or a path (`./…`, `../…` or absolute), resolved from a folder, then from the current one, then from where the server
 * is installed. Its own imports are resolved by `importForeign`. Throws an Error with file and line if the module is at fault, and with the
 * version of the server the module asks for, if it is another one.
 */
export async function importModule(module: string, folder: string): Promise<Record<string, unknown>> {
  const file = await locate(module, [folder, process.cwd(), installed])
  checkPeer(file)
  const exported = await importFile(file)
  checkApi(exported['default'], file)
  return exported
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  const loaded: string[] = []
  try {
    return await importForeign(pathToFileURL(file).href, url => loaded.push(url))
  } catch (error) {
    const location = locationOf(error, file) ?? (error instanceof SyntaxError ? brokenFile(loaded) : undefined)
    throw new Error(location === undefined ? reasonOf(error) : `${location}: ${reasonOf(error)}`, { cause: error })
  }
}

/** Refuses a plugin made with a newer copy of this package, which has interfaces that this server lacks. */
function checkApi(exported: unknown, file: string): void {
  const problem = isPlugin(exported) ? apiProblem(exported) : undefined
  if (problem !== undefined) throw new Error(`${problem} (${file})`)
}

/** Version of the package that a module belongs to; undefined if the module is not found or its package has no version. */
export async function versionOf(module: string, folder: string): Promise<string | undefined> {
  try {
    const path = manifestOf(dirname(await locate(module, [folder, process.cwd(), installed])))
    return path && readManifest(path).version
  } catch {
    return undefined
  }
}

/** Refuses a package whose `peerDependencies` ask for another version of the server. */
function checkPeer(file: string): void {
  const path = manifestOf(dirname(file))
  if (path === undefined) return
  const { name = path, peerDependencies = {} } = readManifest(path)
  const wanted = peerDependencies[ownName]
  if (wanted === undefined || satisfies(version, wanted, { includePrerelease: true })) return
  throw new Error(`${name} needs ${ownName} ${wanted} (peerDependencies in ${path}), this is ${version}`)
}

/** The `package.json` a file belongs to. */
function manifestOf(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : manifestOf(dirname(folder))
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly peerDependencies?: Readonly<Record<string, string>>
}

function readManifest(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    throw new Error(`${path} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/** File and line of a thrown error: the first line of its stack, or the first position in the module's folder. */
function locationOf(error: unknown, file: string): string | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined
  const [first = ''] = error.stack.split('\n')
  const begins = /^(?:file:\/\/)?(\/.*:\d+)$/.exec(first)
  if (begins !== null) return decodeURI(begins[1]!)
  const folder = pathToFileURL(dirname(file)).href
  const at = error.stack.split('\n').find(line => line.includes(folder))
  return at && /file:\/\/(\/.*?:\d+:\d+)/.exec(at)?.[1]
}

/** File and line of the first module with a syntax error, because the error of an import does not tell. */
function brokenFile(urls: readonly string[]): string | undefined {
  const files = urls.filter(url => url.startsWith('file:') && /\.[cm]?js$/.test(url)).map(url => fileURLToPath(url))
  for (const file of files.toReversed().slice(0, maxChecked)) {
    const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', env: {} })
    const line = /^(?:file:\/\/)?\/.*:(\d+)$/m.exec(stderr ?? '')?.[1]
    if (status !== 0 && line !== undefined) return `${file}:${line}`
  }
  return undefined
}

async function locate(module: string, folders: readonly string[]): Promise<string> {
  const isPath = isAbsolute(module) || /^\.\.?([/\\]|$)/.test(module)
  let failure: unknown
  for (const folder of folders) {
    const from = createRequire(join(resolve(folder), 'module.js'))
    try {
      return from.resolve(module)
    } catch (error) {
      failure ??= error
      if (!isPath && (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') {
        const file = await importOnlyEntry(module, folder)
        if (file !== undefined) return file
      }
    }
  }
  throw failure
}

/** The entry of a package that exports only an `import` condition, which `require.resolve` does not support. */
async function importOnlyEntry(module: string, folder: string): Promise<string | undefined> {
  const manifest = findPackageJSON(module, pathToFileURL(join(resolve(folder), 'module.js')))
  if (manifest === undefined) return undefined
  let entry = JSON.parse(await readFile(manifest, 'utf8')).exports
  entry = entry?.['.'] ?? entry
  while (typeof entry === 'object' && entry !== null) entry = entry.node ?? entry.import ?? entry.default
  return typeof entry === 'string' ? join(dirname(manifest), entry) : undefined
}
