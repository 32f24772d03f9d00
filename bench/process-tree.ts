// Memory and disk of a server, as the system counts them.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Resident MiB of a process and its children, memory they share counted once. */
export function treeMiB(pid: number): number {
  const sizes = processTree(pid).map(each =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0)
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

/** Milliseconds of processor time of these processes so far, all threads that live. */
export function processorTime(pids: readonly number[]): number {
  const tasks = pids.flatMap(pid => readdirSync(`/proc/${pid}/task`).map(task => `/proc/${pid}/task/${task}/schedstat`))
  return tasks.reduce((sum, task) => sum + Number(read(task).split(' ')[0]), 0) / 1e6
}

/** A process and its children. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? Number(read(`/proc/${name}/stat`).split(') ')[1]?.split(' ')[1]) : 0
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [pid]
  for (const each of all) all.push(...(children.get(each) ?? []))
  return all
}

/** MiB of all files below a folder. */
export function folderMiB(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // Files come and go.
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found?.isFile()) bytes += found.size
  }
  return bytes / 2 ** 20
}

/** Empty where the process ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
