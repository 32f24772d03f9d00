// Side files on disk: written durably under a temporary name first, read in parts.
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import {
  decodeHead,
  encodeIndex,
  firstRead,
  headEnd,
  type IndexHead,
  isSound,
  type NewSection,
  type Section,
  sectionBytes
} from './format.ts'

/** Bytes of the file. It counts as soon as it has its name: without a sync, because a torn one is noticed and made again. */
export async function writeSideFile(
  path: string,
  data: IndexHead['data'],
  sections: readonly NewSection[]
): Promise<number> {
  const temporary = `${path}.tmp`
  try {
    const file = await open(temporary, 'w')
    try {
      await file.writev(encodeIndex(data, sections))
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

/** The head of a side file and where its sections begin; undefined when there is none or it is damaged. */
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

/** The head of a side file all of which is as it was written; undefined when there is none or it is damaged. */
export async function readSound(path: string): Promise<IndexHead | undefined> {
  const found = await readHead(path)
  for (const section of found?.head.sections ?? []) {
    if ((await readSection(path, found!.start, section)) === undefined) return undefined
  }
  return found?.head
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
