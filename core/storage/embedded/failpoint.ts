// Failpoints: named steps at which a crash is critical, and calls of the system that can fail. Tests name one in the variable WEIR_FAULT.
import { existsSync } from 'node:fs'

/** Steps, in the order in which a row passes them. */
export const failpoints = [
  'catalog.changed',
  'catalog.committed',
  'catalog.synced',
  'catalog.marked',
  'wal.written',
  'wal.synced',
  'wal.rotated',
  'flush.sealed',
  'flush.group',
  'flush.copied',
  'flush.renamed',
  'flush.catalogued',
  'flush.log_dropped',
  'compact.group',
  'compact.copied',
  'compact.renamed',
  'compact.catalogued'
] as const

type Failpoint = (typeof failpoints)[number]

/** Kills the process, like a power cut, if `WEIR_FAULT` names this point. */
export function failpoint(point: Failpoint): void {
  if (point === process.env.WEIR_FAULT) process.kill(process.pid, 'SIGKILL')
}

/** Calls of the system: syncs, writes, and changes of names in a folder. */
const faultpoints = [
  'catalog.sync',
  'catalog.mark',
  'catalog.checkpoint',
  'wal.write',
  'wal.sync',
  'wal.cut',
  'wal.create',
  'wal.header',
  'file.rename',
  'folder.sync'
] as const

type Faultpoint = (typeof faultpoints)[number]

/**
 * Throws in place of the call if `WEIR_FAULT` holds `POINT=CODE`, for example `wal.sync=EIO`; several are separated by commas. With
 * `POINT=CODE@FILE` it throws only while that file exists, so that a test chooses the moment.
 */
export function faultpoint(point: Faultpoint): void {
  const given = process.env.WEIR_FAULT
  if (given === undefined || !given.includes('=')) return
  for (const fault of given.split(',')) {
    const [name, code, file] = fault.split(/[=@]/)
    if (name !== point || (file !== undefined && !existsSync(file))) continue
    throw Object.assign(new Error(`${code}: made by WEIR_FAULT at ${point}`), { code })
  }
}
