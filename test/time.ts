// Processor time of this thread, and how slow the machine is at the moment.

/** Milliseconds of processor time this thread has used; other load of the machine does not count. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * How much longer than its processor time a thread takes at the moment, because others use the processors: a factor of at least 1. Multiply limits of
 * wall-clock time by it.
 */
export function slowness(): number {
  const [began, used] = [performance.now(), processorTime()]
  while (processorTime() - used < 30);
  // Doubled, because the work that is measured has several threads, which wait for each other.
  return Math.max(1, ((performance.now() - began) / 30) * 2 - 1)
}
