// Writes log lines to a file descriptor without blocking; lines that cannot be written are dropped and counted.
import { type NoParamCallback, write, writeSync } from 'node:fs'
import { pause } from '../timer.ts'

/** An output of log lines. */
export interface LogOutput {
  write(line: string): void
  /** Waits until pending lines are written or dropped. */
  flushSync(): void
  /** Waits without blocking; false after two seconds if something is still being written. */
  close(): Promise<boolean>
}

/** Characters that may wait; further lines are dropped. */
const maxTextBytes = 8 * 2 ** 20
/** Milliseconds before a full pipe is tried again, and the number of tries before the process ends. */
const fullPipe = 20
const lastTries = 50
const maxCloseTime = 2000

/** Calls `onLost` with the number of dropped lines. Does not close the descriptor. */
export function createSink(fd: number, onLost: (lines: number) => void): LogOutput {
  let lines: string[] = []
  let length = 0
  /** The part of the current chunk that a full pipe has not taken yet. */
  let rest: Uint8Array | undefined
  let draining: Promise<void> | undefined
  let isTorn = false
  const take = () => {
    // If the last write ended within a line, starts with a line break.
    const chunk = { count: lines.length, bytes: Buffer.from(`${isTorn ? '\n' : ''}${lines.join('')}`) }
    lines = []
    length = 0
    return chunk
  }
  const failed = (count: number, written: number) => {
    isTorn = written > 0
    onLost(count)
  }
  const drain = async () => {
    // Lines of one turn of the event loop are written together.
    await Promise.resolve()
    while (lines.length > 0) {
      const { count, bytes } = take()
      let at = 0
      try {
        while (at < bytes.length) {
          const written = await writeSome(fd, bytes.subarray(at))
          at += written
          if (written > 0) continue
          rest = bytes.subarray(at)
          await pause(fullPipe, { ref: false })
          if (rest === undefined) break
          rest = undefined
        }
        isTorn = false
      } catch {
        failed(count, at)
      }
    }
    draining = undefined
  }
  return {
    write(line) {
      if (length + line.length > maxTextBytes) return onLost(1)
      lines.push(line)
      length += line.length
      draining ??= drain()
    },
    flushSync() {
      const [half, { count, bytes }] = [rest ?? Buffer.alloc(0), take()]
      rest = undefined
      const all = Buffer.concat([half, bytes])
      const written = writeAllSync(fd, all)
      if (written < all.length) failed(count + (half.length > 0 ? 1 : 0), written)
    },
    close: () =>
      Promise.race([Promise.resolve(draining).then(() => true), pause(maxCloseTime, { ref: false }).then(() => false)])
  }
}

/** Bytes written; 0 if the pipe is full. */
function writeSome(fd: number, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, (error, written) => {
      if (error === null) resolve(written)
      else if (isFull(error)) resolve(0)
      else reject(error)
    })
  })
}

/** Returns the number of bytes written. */
function writeAllSync(fd: number, bytes: Uint8Array): number {
  let at = 0
  for (let tries = 0; at < bytes.length && tries < lastTries; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if (!isFull(error as Parameters<NoParamCallback>[0])) break
      tries++
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPipe)
    }
  }
  return at
}

function isFull(error: Parameters<NoParamCallback>[0]): boolean {
  return error?.code === 'EAGAIN'
}
