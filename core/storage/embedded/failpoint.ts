// Failpoints: named steps at which a crash matters; the chaos run makes the process kill itself at one of them.

/** In the order a row meets them. */
export const failpoints = [
  'catalog.changed',
  'catalog.committed',
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

const chosen = process.env.WEIR_FAULT

/** Ends the process as a power cut would, if `WEIR_FAULT` names this point. */
export function failpoint(point: Failpoint): void {
  if (point === chosen) process.kill(process.pid, 'SIGKILL')
}
