// The manifest of a backup: what a restore needs to know about the files, with a checksum of its own.
import { crc32 } from 'node:zlib'
import { DbError } from '../errors.ts'
import type { Backup, BackupFile } from './engine.ts'

export interface Manifest {
  readonly format: 1
  /** Version of the server that wrote the backup. */
  readonly version: string
  /** ISO 8601. */
  readonly created: string
  /** The storage driver that wrote it and can read it. */
  readonly engine: string
  readonly files: readonly BackupFile[]
  readonly catalog: unknown
  /** CRC-32 of all other members as JSON without white space, in this order. */
  readonly checksum: number
}

/** The manifest, as JSON text, of a backup that begins now. `engine` is `Store.engineName`, `version` that of the server. */
export function writeManifest(backup: Pick<Backup, 'catalog' | 'files'>, engine: string, version: string): string {
  const { catalog, files } = backup
  const content = { format: 1, version, created: new Date().toISOString(), engine, files, catalog } as const
  return `${JSON.stringify({ ...content, checksum: crc32(JSON.stringify(content)) }, null, 1)}\n`
}

/** Parses a manifest. Throws DbError `InvalidArguments` naming `source` if it is none, damaged, or of a newer format. */
export function readManifest(text: string, source: string): Manifest {
  const wrong = (reason: string, cause?: unknown) => {
    throw new DbError('InvalidArguments', `${source}: ${reason}`, { cause })
  }
  let parsed: Manifest
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    return wrong('the manifest of the backup is not JSON', error)
  }
  const { checksum, ...content } = parsed
  if (content.format !== 1) return wrong(`expected a manifest of format 1, found ${content.format}`)
  if (checksum !== crc32(JSON.stringify(content))) return wrong('the manifest does not match its checksum')
  const stray = content.files.find(file => !isInside(file.path))
  return stray === undefined ? parsed : wrong(`${stray.path} leads out of the backup`)
}

/** Whether a path is relative and stays below its folder. */
function isInside(path: string): boolean {
  return !/[\\\0]/.test(path) && path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
}
