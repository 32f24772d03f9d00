// Copies a backup from a running server; existing files are kept, and partial ones continued.
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Manifest, readManifest } from '../core/storage/backup-manifest.ts'
import { fileChecksum } from '../core/storage/embedded/file/checksum.ts'
import { syncFolder } from '../core/storage/embedded/log/wal.ts'
import type { BackupFile } from '../core/storage/engine.ts'
import { type Progress, showProgress } from './progress.ts'

interface Source {
  /** URL of the main server, without a slash at the end. */
  readonly url: string
  /** Value of `Authorization`. */
  readonly authorization?: string
}

interface CopyReport {
  readonly manifest: Manifest
  readonly copiedFiles: number
  readonly copiedBytes: number
}

/** How often a broken connection is resumed before the command gives up. */
const attempts = 5

/** Copies into `dir`. The manifest is written last, so a folder with a manifest is complete. */
export async function createBackup(source: Source, dir: string): Promise<CopyReport> {
  await mkdir(dir, { recursive: true })
  const target = join(dir, 'manifest.json')
  const old = await readOld(target)
  const response = await request(source, 'POST', '/admin/backup')
  const location = response.headers.get('location') ?? ''
  const text = await response.text()
  const manifest = readManifest(text, `${source.url}/admin/backup`)
  const progress = showProgress(
    'copying',
    manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  )
  let copiedFiles = 0
  let copiedBytes = 0
  try {
    for (const [index, file] of manifest.files.entries()) {
      const copied = await copyFile(source, `${location}/${index}`, join(dir, file.path), file, progress)
      if (copied > 0) copiedFiles++
      copiedBytes += copied
    }
    progress.end()
    await writeDurably(target, text)
    await removeOld(dir, old, manifest)
  } finally {
    // If this request is lost, the server ends the backup after a while.
    await request(source, 'DELETE', location).catch(() => {})
  }
  return { manifest, copiedFiles, copiedBytes }
}

/** Returns the bytes received. */
async function copyFile(source: Source, location: string, path: string, file: BackupFile, progress: Progress) {
  if (await isThere(path, file)) {
    progress.add(file.bytes)
    return 0
  }
  await mkdir(dirname(path), { recursive: true })
  const part = `${path}.part`
  let copied = 0
  for (let attempt = 1; ; attempt++) {
    try {
      copied += await fetchRest(source, location, part, file, progress)
      if ((await fileChecksum(part)) === file.checksum) break
      // The file under this name was another one, or the disk is faulty: starts once more from the beginning.
      await rm(part)
      progress.takeBack(file.bytes)
      if (attempt > 1) throw new BackupError(`${path} does not match its checksum after it was copied`)
    } catch (error) {
      if (error instanceof BackupError || attempt >= attempts) throw error
      await wait(200 * 2 ** attempt)
    }
  }
  await makeDurable(part, path)
  return copied
}

/** Downloads the missing rest of a file. */
async function fetchRest(source: Source, location: string, part: string, file: BackupFile, progress: Progress) {
  const begun = await sizeOf(part)
  const from = begun > file.bytes ? 0 : begun
  const output = await open(part, from === 0 ? 'w' : 'r+')
  let at = from
  progress.add(from)
  try {
    if (from < file.bytes) {
      const response = await request(source, 'GET', location, from > 0 ? { range: `bytes=${from}-` } : {})
      if (from > 0 && response.status !== 206) throw new BackupError(`${source.url} cannot go on at byte ${from}`)
      for await (const chunk of response.body!) {
        await output.write(chunk, 0, chunk.length, at)
        at += chunk.length
        progress.add(chunk.length)
      }
    }
  } catch (error) {
    progress.takeBack(at)
    throw error
  } finally {
    await output.close()
  }
  return at - from
}

/** An error that a retry cannot resolve. */
class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

async function request(source: Source, method: string, path: string, headers: Record<string, string> = {}) {
  const authorization = source.authorization === undefined ? {} : { authorization: source.authorization }
  let response: Response
  try {
    response = await fetch(`${source.url}${path}`, { method, headers: { ...headers, ...authorization } })
  } catch (error) {
    const reason = (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : String(error)
    throw new Error(`cannot reach ${source.url}: ${reason}`, { cause: error })
  }
  if (response.ok) return response
  const body = await response.text()
  const answer = `${source.url}${path} answered ${response.status}: ${errorOf(body)}`
  throw response.status >= 500 ? new Error(answer) : new BackupError(answer)
}

function errorOf(body: string): string {
  try {
    return (JSON.parse(body) as { error?: string }).error ?? body
  } catch {
    return body.slice(0, 200)
  }
}

/** The manifest of an earlier run; undefined if there is none that can be read, so that no files are removed. */
async function readOld(path: string): Promise<Manifest | undefined> {
  if (!existsSync(path)) return undefined
  try {
    return readManifest(await readFile(path, 'utf8'), path)
  } catch {
    return undefined
  }
}

/** Removes files of the previous backup that this one does not have, and nothing else. */
async function removeOld(dir: string, old: Manifest | undefined, manifest: Manifest): Promise<void> {
  const kept = new Set(manifest.files.map(file => file.path))
  for (const { path } of old?.files ?? []) if (!kept.has(path)) await rm(join(dir, path), { force: true })
}

async function isThere(path: string, file: BackupFile): Promise<boolean> {
  return (await sizeOf(path)) === file.bytes && (await fileChecksum(path)) === file.checksum
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    found => found.size,
    () => 0
  )
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.part`, 'w')
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
  await makeDurable(`${path}.part`, path)
}

async function makeDurable(part: string, path: string): Promise<void> {
  const file = await open(part, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
  await syncFolder(dirname(path))
}
