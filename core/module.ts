// Loads modules of third parties: by name from the operator's node_modules, or by path.
import { readFile } from 'node:fs/promises'
import { createRequire, findPackageJSON, registerHooks } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ownName = 'weir-server'

/**
 * Imports a package name or a path (`./…`, `../…` or absolute) as seen from a folder, then from the current one. A module that
 * imports `weir-server` gets its own copy where it has one, else the running server's.
 */
export async function importModule(module: string, folder: string): Promise<Record<string, unknown>> {
  const file = await locate(module, [folder, process.cwd()])
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== ownName && !specifier.startsWith(`${ownName}/`)) return next(specifier, context)
      try {
        return next(specifier, context)
      } catch {
        return { url: import.meta.resolve(specifier), shortCircuit: true }
      }
    }
  })
  try {
    return await import(pathToFileURL(file).href)
  } finally {
    hooks.deregister()
  }
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

/** The entry of a package that exports only an `import` condition, which `require.resolve` does not follow. */
async function importOnlyEntry(module: string, folder: string): Promise<string | undefined> {
  const manifest = findPackageJSON(module, pathToFileURL(join(resolve(folder), 'module.js')))
  if (manifest === undefined) return undefined
  let entry = JSON.parse(await readFile(manifest, 'utf8')).exports
  entry = entry?.['.'] ?? entry
  while (typeof entry === 'object' && entry !== null) entry = entry.node ?? entry.import ?? entry.default
  return typeof entry === 'string' ? join(dirname(manifest), entry) : undefined
}
