// Reads an uploaded heap dump: V8 heap profile, V8 heap snapshot or pprof, optionally gzipped.
import { DbError, inflateSync } from '../../../core/wire/index.ts'
import type { FrameNamer } from '../frame.ts'
import { type HeapNode, heapTree } from '../heap/tree.ts'
import { isAmount, type Profile } from '../profile.ts'
import { isSnapshot, snapshotLegend, snapshotTree } from './heap-snapshot.ts'
import { readPprof } from './pprof.ts'

interface DumpFile {
  readonly profile: Profile
  /** The format that was recognised. */
  readonly format: 'heapprofile' | 'heapsnapshot' | 'pprof'
}

/** `limit`: bytes after decompression. Throws DbError `InvalidArguments` for an unreadable dump, with status 413 beyond the limit. */
export function readDump(bytes: Uint8Array, limit: number, nameFrame: FrameNamer): DumpFile {
  const content = unpack(bytes, limit)
  if (firstSign(content) !== '{') return { profile: readPprofDump(content), format: 'pprof' }
  const value = parse(content)
  if (isSnapshot(value)) {
    return { profile: { ...toProfile(snapshotTree(value)), legend: snapshotLegend }, format: 'heapsnapshot' }
  }
  if (isHeapProfile(value)) return { profile: toProfile(heapTree(value.head, nameFrame)), format: 'heapprofile' }
  const expected = 'a .heapprofile has the key head, a .heapsnapshot the keys snapshot, nodes, edges and strings'
  throw new DbError('InvalidArguments', `the body is JSON, but no heap dump: ${expected}`)
}

/** Neither JSON nor gzip: tried as pprof. */
function readPprofDump(content: Uint8Array): Profile {
  try {
    return readPprof(content)
  } catch (error) {
    const reason = (error as Error).message
    throw new DbError('InvalidArguments', `the body is not a heap dump: not JSON, and as a file of pprof ${reason}`, {
      cause: error
    })
  }
}

function unpack(bytes: Uint8Array, limit: number): Uint8Array {
  const tooLarge = (what: string) =>
    new DbError(
      'InvalidArguments',
      `the dump is larger than ${limit} bytes (plugins.profiling.max_upload): it has ${what}`,
      { status: 413 }
    )
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    if (bytes.length > limit) throw tooLarge(`${bytes.length}`)
    return bytes
  }
  return inflateSync(bytes, 'gzip', { limit, tooLarge: () => tooLarge('more after gzip is undone') })
}

function firstSign(bytes: Uint8Array): string {
  let at = 0
  while (at < bytes.length && bytes[at]! <= 0x20) at++
  return String.fromCharCode(bytes[at] ?? 0)
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
  } catch (error) {
    throw new DbError('InvalidArguments', `the body is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}

function toProfile(root: Profile['root']): Profile {
  return { kind: 'heap', root, time: 0, duration: 0, period: 0, facts: [] }
}

function isHeapProfile(value: unknown): value is { readonly head: HeapNode } {
  return isHeapNode((value as { readonly head?: unknown } | null)?.head)
}

/** Checks all nodes, because the file may contain anything. */
function isHeapNode(head: unknown): head is HeapNode {
  const waiting = [head]
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    const { callFrame, selfSize, children } = (next ?? {}) as Partial<HeapNode>
    const { functionName, url, lineNumber } = (callFrame ?? {}) as Partial<HeapNode['callFrame']>
    if (typeof functionName !== 'string' || typeof url !== 'string' || typeof lineNumber !== 'number') return false
    if (!isAmount(selfSize) || !Array.isArray(children)) return false
    for (const child of children) waiting.push(child)
  }
  return head !== undefined
}
