// Where built code stands in its source, by the map that lies beside a file.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'

/** Line and column count from 0. A place without a map is its own original. */
export type OriginalPlace = (
  path: string,
  line: number,
  column: number
) => { readonly file: string; readonly line: number }

/** Reads each map once, when a place of its file is first asked for. Only files below `root`: uploaded profiles may name any. */
export function createSourceMaps(root: string): OriginalPlace {
  const maps = new Map<string, SourceMap | undefined>()
  return (path, line, column) => {
    if (!maps.has(path)) maps.set(path, path.startsWith(root) && resolve(path) === path ? readMap(path) : undefined)
    const entry = maps.get(path)?.findEntry(line, column)
    if (entry === undefined || !('originalSource' in entry)) return { file: path, line }
    return { file: resolve(dirname(path), entry.originalSource), line: entry.originalLine }
  }
}

function readMap(path: string): SourceMap | undefined {
  if (!path.endsWith('js')) return undefined
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')))
  } catch {
    return undefined
  }
}
