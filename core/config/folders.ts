// Replaces the server's folders in texts for clients by the keys that set them.
import { fileURLToPath } from 'node:url'
import type { Config } from './schema.ts'

/** A folder, and the name that replaces it. */
type NamedFolder = readonly [folder: string, name: string]

/** The folder of the program. */
const program = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** The folders that a configuration names, and those of the process. */
export function foldersOf({
  storage,
  wal,
  logging
}: {
  readonly storage: Pick<Config['storage'], 'data_home'>
  readonly wal: Pick<Config['wal'], 'dir'>
  readonly logging?: Pick<Config['logging'], 'dir'>
}): readonly NamedFolder[] {
  return [
    [wal.dir, '{wal.dir}'],
    [logging?.dir ?? '', '{logging.dir}'],
    [storage.data_home, '{storage.data_home}'],
    [program, '{program}'],
    [process.cwd(), '.']
  ]
}

/** The text with names in place of the folders' paths. */
export function nameFolders(text: string, folders: readonly NamedFolder[]): string {
  if (!text.includes('/')) return text
  return folders.reduce((rest, [folder, name]) => (folder.length > 1 ? rest.replaceAll(folder, name) : rest), text)
}
