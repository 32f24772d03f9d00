// More writes than the disk takes, for minutes: what the server answers, and whether its memory stays within the bound of
// docs/operations.md. `--disk BYTES` makes every file as slow as that many bytes a second when it is synced (needs a C compiler). With
// `--sync always` the log holds the writes up, with `--sync none` the data files do.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ndjsonCorpus } from './corpus.ts'
import { type BenchServer, startBenchServer } from './server.ts'

const MiB = 2 ** 20
const limits = { memtable: 256 * MiB, bodies: 128 * MiB, engine: 512 * MiB, process: 200 * MiB }
/** What a body takes while it is decoded and waits to be written, in times of its size. */
const decoded = 3
/** Memory in use and what the allocators keep beside it. */
const kept = 1.25
const bound = kept * (limits.memtable + decoded * limits.bodies + limits.engine) + limits.process

const config = (sync: string) => `max_in_flight_write_bytes = "${limits.bodies / MiB}MiB"
[http]
timeout = "60s"
[storage]
memtable_size = "64MiB"
memtable_limit = "${limits.memtable / MiB}MiB"
memory_limit = "${limits.engine / MiB}MiB"
[wal]
sync = "${sync}"
[logging]
level = "error"
append_stdout = false
`

const linesPerBody = 10_000

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '2' },
      connections: { type: 'string', default: '64' },
      disk: { type: 'string', default: '4MiB' },
      sync: { type: 'string', default: 'always' },
      folder: { type: 'string' }
    }
  })
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), 'weir-overload-'))
  try {
    const env = values.disk === '0' ? {} : slowDisk(folder, Number(values.disk.replace(/MiB$/, '')) * MiB)
    writeFileSync(join(folder, 'weir.toml'), config(values.sync))
    await measure(folder, env, Number(values.minutes), Number(values.connections))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, env: Record<string, string>, minutes: number, connections: number) {
  const file = join(folder, 'weir.toml')
  const data = join(folder, 'data')
  const server = await startBenchServer(file, data, env)
  const tally = await overload(server, minutes * 60_000, connections)
  const peak = peakBytes(server)
  await server.kill('SIGKILL')
  const again = await startBenchServer(file, data)
  const found = await countRows(again)
  await again.kill('SIGTERM')
  report(tally, minutes, peak, found)
}

interface Tally {
  /** Requests by status; 0 for a connection that broke. */
  readonly answers: Map<number, number>
  /** Longest time to an answer, in milliseconds. */
  longest: number
  retryAfter: number
}

/** Senders that never wait longer than for their answer, but for a moment after a refusal. */
async function overload(server: BenchServer, milliseconds: number, connections: number): Promise<Tally> {
  const { bodies } = ndjsonCorpus(8 * linesPerBody, linesPerBody)
  const tally: Tally = { answers: new Map(), longest: 0, retryAfter: 0 }
  const end = performance.now() + milliseconds
  const send = async (first: number) => {
    for (let i = first; performance.now() < end; i++) {
      const status = await post(server.url, bodies[i % bodies.length]!, tally)
      tally.answers.set(status, (tally.answers.get(status) ?? 0) + 1)
      if (status !== 200) await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  const progress = setInterval(() => {
    console.log(`  ${server.residentMiB()} MiB resident, ${answersOf(tally)}`)
  }, 15_000)
  await Promise.all(Array.from({ length: connections }, (_, i) => send(i)))
  clearInterval(progress)
  return tally
}

async function post(url: string, body: Buffer, tally: Tally): Promise<number> {
  const started = performance.now()
  const headers = { 'content-type': 'application/x-ndjson' }
  try {
    const path = `${url}/v1/ingest?table=logs&pipeline_name=svc_identity`
    const response = await fetch(path, { method: 'POST', headers, body: new Uint8Array(body) })
    await response.arrayBuffer()
    tally.longest = Math.max(tally.longest, performance.now() - started)
    if (response.status !== 200 && response.headers.has('retry-after')) tally.retryAfter++
    return response.status
  } catch {
    return 0
  }
}

async function countRows({ url }: BenchServer): Promise<number> {
  const sql = encodeURIComponent('SELECT count(*) FROM logs')
  return Number(await (await fetch(`${url}/v1/sql?format=csv&sql=${sql}`)).text())
}

function peakBytes({ pid }: BenchServer): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

function report(tally: Tally, minutes: number, peak: number, found: number): void {
  const count = (status: number) => tally.answers.get(status) ?? 0
  const stored = count(200) * linesPerBody
  // Whoever got no answer, or was told of a time limit, does not know.
  const unknown = (count(0) + count(408)) * linesPerBody
  console.log(`${minutes} minutes: ${answersOf(tally)}; ${tally.retryAfter} with Retry-After`)
  console.log(`longest answer ${Math.round(tally.longest)} ms, ${Math.round(stored / minutes / 60)} lines/s stored`)
  console.log(`peak memory ${Math.round(peak / MiB)} MiB, bound ${bound / MiB} MiB`)
  console.log(`after kill and restart ${found} rows, answered were ${stored}`)
  if (peak > bound) throw new Error('more memory than the bound')
  if (found < stored || found > stored + unknown) throw new Error('the rows are not those that were answered')
  if (count(429) + count(503) === 0)
    throw new Error('nothing was refused: the disk took all of it; choose a slower --disk')
}

function answersOf({ answers }: Tally): string {
  const sorted = [...answers].sort(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${count} × ${status === 0 ? 'broken connection' : status}`).join(', ')
}

/** The environment of a process whose files take their time to be synced: what they grew by, at so many bytes a second. */
function slowDisk(folder: string, bytesPerSecond: number): Record<string, string> {
  const source = join(folder, 'slow-disk.c')
  const library = join(folder, 'slow-disk.so')
  writeFileSync(source, shim(bytesPerSecond))
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source], { stdio: 'inherit' })
  return { LD_PRELOAD: library }
}

function shim(bytesPerSecond: number): string {
  return `
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
static struct { ino_t file; off_t size; } known[65536];
static void wait_for(int fd) {
  struct stat now;
  if (fd < 0 || fd > 65535 || fstat(fd, &now) != 0 || !S_ISREG(now.st_mode)) return;
  off_t before = known[fd].file == now.st_ino && known[fd].size <= now.st_size ? known[fd].size : 0;
  known[fd].file = now.st_ino;
  known[fd].size = now.st_size;
  double seconds = (double)(now.st_size - before) / ${Math.round(bytesPerSecond)}.0;
  struct timespec pause = { (time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) };
  nanosleep(&pause, 0);
}
int fsync(int fd) { wait_for(fd); return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { wait_for(fd); return syscall(SYS_fdatasync, fd); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  ssize_t written = syscall(SYS_pwritev, fd, parts, count, at, at >> 32);
  if (fcntl(fd, F_GETFL) & O_DSYNC) wait_for(fd);
  return written;
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }
`
}
