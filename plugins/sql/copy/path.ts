// Paths of COPY: below the export folder, whatever the statement says and whatever links lie there.
import { lstat, mkdir } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { DbError } from '../../../core/index.ts'

/** The file to write, with the folders above it made. Throws for anything but a plain file or nothing there. */
export async function pathToWrite(root: string, path: string): Promise<string> {
  const parts = inside(root, path)
  await mkdir(root, { recursive: true })
  let folder = root
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part)
    if ((await kindOf(folder, path)) === undefined) await mkdir(folder)
    else await requireKind(folder, path, 'folder')
  }
  const file = join(folder, parts.at(-1)!)
  if ((await kindOf(file, path)) !== undefined) await requireKind(file, path, 'file')
  return file
}

/** The file to read; it must be there. */
export async function pathToRead(root: string, path: string): Promise<string> {
  const parts = inside(root, path)
  let at = root
  for (const [i, part] of parts.entries()) {
    at = join(at, part)
    await requireKind(at, path, i === parts.length - 1 ? 'file' : 'folder')
  }
  return at
}

/** The names from the export folder down to the file. */
function inside(root: string, path: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
    throw new DbError('Unsupported', `COPY ${path}: only files of the export folder are read and written`)
  }
  if (path === '' || path.includes('\0') || path.endsWith('/')) throw invalid(path, 'it names no file')
  if (path.split(/[/\\]/).includes('..')) throw invalid(path, 'it must not hold ..')
  const whole = isAbsolute(path) ? resolve(path) : join(root, path)
  const parts = relative(root, whole).split(sep)
  if (parts[0] === '..' || parts[0] === '' || isAbsolute(parts[0]!)) {
    throw invalid(path, 'it lies outside of the export folder, the folder "export" below storage.data_home')
  }
  if (parts.some(part => /[*?[\]{}]/.test(part))) throw invalid(path, 'patterns are not allowed')
  return parts
}

async function requireKind(at: string, path: string, wanted: 'file' | 'folder'): Promise<void> {
  const kind = await kindOf(at, path)
  if (kind === undefined) throw invalid(path, 'there is no such file in the export folder')
  if (kind !== wanted) throw invalid(path, kind === 'link' ? 'links are not followed' : `it is not a ${wanted}`)
}

async function kindOf(at: string, path: string): Promise<'file' | 'folder' | 'link' | 'other' | undefined> {
  try {
    const found = await lstat(at)
    if (found.isSymbolicLink()) return 'link'
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new DbError('InvalidArguments', `COPY ${path}: ${code ?? 'it cannot be looked at'}`, { cause: error })
  }
}

function invalid(path: string, why: string): DbError {
  return new DbError('InvalidArguments', `COPY ${path}: ${why}`)
}
