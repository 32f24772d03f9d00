// Sidecar files on disk: written durably under a temporary name first, read in parts.
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type CountsHead, countsPath } from './count-file.ts'
import {
  decodeHead,
  encodeIndex,
  firstRead,
  type HeadNotes,
  headEnd,
  type IndexHead,
  indexPath,
  isSound,
  type NewSection,
  type Section,
  sectionBytes
} from './format.ts'

/** The files beside a data file that are made from it. */
export function sidecarsOf(dataFile: string): readonly string[] {
  return [indexPath(dataFile), countsPath(dataFile)]
}

/** Bytes of the file. It counts as soon as it has its name: without a sync, because a torn one is noticed and made again. */
export async function writeSidecar(
  path: string,
  data: IndexHead['data'],
  sections: readonly NewSection[],
  notes: HeadNotes = {}
): Promise<number> {
  const temporary = `${path}.tmp`
  try {
    const file = await open(temporary, 'w')
    try {
      await file.writev(encodeIndex(data, sections, notes))
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    return (await stat(path)).size
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** The head of an index sidecar and where its sections begin; undefined when there is none or it is damaged. */
export async function readHead(path: string): Promise<{ head: IndexHead; start: number } | undefined> {
  return withFile(path, async file => {
    let bytes = await read(file, 0, firstRead)
    const end = headEnd(bytes)
    if (end === undefined) return undefined
    if (end > bytes.length) bytes = await read(file, 0, end)
    const head = decodeHead(bytes)
    return head && { head, start: end }
  })
}

/** A section's filters, checked; undefined when they are damaged or the file is gone. */
export async function readSection(path: string, start: number, section: Section): Promise<Uint32Array | undefined> {
  return withFile(path, async file => {
    const bytes = await read(file, start + section.offset, sectionBytes(section))
    if (!isSound(section, bytes)) return undefined
    return new Uint32Array(bytes.buffer, 0, bytes.length / 4)
  })
}

/** Of the data file as the catalog knows it. */
type Belonging = IndexHead['data']

/** The head of the index sidecar of a data file, when it belongs to it and all of it and of the file of counts is as it was written. */
export async function readSound(dataFile: string, data: Belonging): Promise<IndexHead | undefined> {
  const found = await readOwnHead(dataFile, data)
  if (found === undefined) return undefined
  if (found.head.counts !== undefined && !(await areSound(countsPath(dataFile), found.head.counts))) return undefined
  for (const section of found.head.sections) {
    if ((await readSection(indexPath(dataFile), found.start, section)) === undefined) return undefined
  }
  return found.head
}

async function readOwnHead(dataFile: string, { checksum, bytes }: Belonging) {
  const found = await readHead(indexPath(dataFile))
  const own = found?.head.data
  return own?.checksum === checksum && own.bytes === bytes ? found : undefined
}

/** Its head without the filters; undefined if it does not belong to the data file, or the file of counts is missing or damaged. */
export async function readNotes(dataFile: string, data: Belonging): Promise<HeadNotes | undefined> {
  const { counts, groups } = (await readOwnHead(dataFile, data))?.head ?? {}
  if (counts === undefined || !(await areSound(countsPath(dataFile), counts))) return undefined
  return { counts, ...(groups && { groups }) }
}

/** Whether a file of counts is as it was written. */
export async function areSound(path: string, { bytes, checksum, columns }: CountsHead): Promise<boolean> {
  if (columns.length === 0) return true
  const read = await readFile(path).catch(() => undefined)
  return read?.length === bytes && crc32(read) === checksum
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T | undefined>): Promise<T | undefined> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch {
    return undefined
  }
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

/** Fewer bytes only where the file ends. */
async function read(file: FileHandle, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
