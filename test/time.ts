// Times of a machine that has other things to do, too.

/** Milliseconds this thread has worked: a busy machine makes no difference. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * How many times as long as the processor needs a thread of this machine is given at the moment, at least 1: limits of what others do are
 * multiplied by it.
 */
export function slowness(): number {
  const [began, used] = [performance.now(), processorTime()]
  while (processorTime() - used < 30);
  // Several threads of what is waited for wait for each other, too.
  return Math.max(1, ((performance.now() - began) / 30) * 2 - 1)
}
