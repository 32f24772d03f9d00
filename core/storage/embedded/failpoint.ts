// Failpoints: named steps at which a crash is critical; the chaos tests kill the process at one of them.

/** In the order in which a row passes them. */
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

export type Failpoint = (typeof failpoints)[number]

/** Kills the process, like a power cut, if `WEIR_FAULT` names this point. */
export function failpoint(point: Failpoint): void {
  if (point === process.env.WEIR_FAULT) process.kill(process.pid, 'SIGKILL')
}
