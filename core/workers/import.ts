// Imports third-party modules, in any thread.
import { findPackageJSON, registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Packages that the running server provides to plugins. */
const brought = ['weir-server', 'typebox']

/** The `node_modules` folder the server is installed in, for example npm's global one. */
export const installed = join(dirname(findPackageJSON(import.meta.url)!), '..')

/**
 * Imports a file by its URL. Imports of `weir-server` or `typebox` find the module's own copy, else the running server's; other packages are
 * also looked up beside the server. Calls `onLoad` with the URL of each loaded module.
 */
export async function importForeign(
  url: string,
  onLoad: (url: string) => void = () => undefined
): Promise<Record<string, unknown>> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        const parentURL = parentOf(specifier)
        if (parentURL === undefined) throw error
        try {
          return next(specifier, { ...context, parentURL })
        } catch {
          throw error
        }
      }
    },
    load(loaded, context, next) {
      onLoad(loaded)
      return next(loaded, context)
    }
  })
  try {
    return await import(url)
  } finally {
    hooks.deregister()
  }
}

/** The module from which an import is resolved if the plugin itself cannot resolve it. */
function parentOf(specifier: string): string | undefined {
  if (/^(?:[./#]|[a-z]+:)/.test(specifier)) return undefined
  const isBrought = brought.some(name => specifier === name || specifier.startsWith(`${name}/`))
  return isBrought ? import.meta.url : pathToFileURL(join(installed, 'module.js')).href
}
