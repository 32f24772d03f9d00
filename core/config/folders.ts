// Folders of the server in texts for clients: they are named by their keys.
import { fileURLToPath } from 'node:url'
import type { Config } from './schema.ts'

/** A folder, and what it is called. */
type NamedFolder = readonly [folder: string, name: string]

/** Where the server itself lies. */
const program = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** Those a configuration names, and those the process runs in. */
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

/** The text with the names of folders in place of their paths. */
export function nameFolders(text: string, folders: readonly NamedFolder[]): string {
  if (!text.includes('/')) return text
  return folders.reduce((rest, [folder, name]) => (folder.length > 1 ? rest.replaceAll(folder, name) : rest), text)
}
