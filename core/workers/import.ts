// Imports modules of third parties, in any thread.
import { findPackageJSON, registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What plugins import that the running server brings. */
const brought = ['weir-server', 'typebox']

/** The folder the server is installed in, beside other packages: where npm puts them globally, for instance. */
export const installed = join(dirname(findPackageJSON(import.meta.url)!), '..')

/**
 * Imports a file by its URL. A module that imports `weir-server` or `typebox` gets its own copy where it has one, else the running server's;
 * other packages it may have beside the server. `onLoad` is told the URL of each module that is loaded on the way.
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

/** The module as which an import is looked for that the plugin itself cannot find. */
function parentOf(specifier: string): string | undefined {
  if (/^(?:[./#]|[a-z]+:)/.test(specifier)) return undefined
  const isBrought = brought.some(name => specifier === name || specifier.startsWith(`${name}/`))
  return isBrought ? import.meta.url : pathToFileURL(join(installed, 'module.js')).href
}
