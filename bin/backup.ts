// weir backup: copies the data of a running server, verifies copies, and restores them to a data folder.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Manifest, readManifest } from '../core/storage/backup-manifest.ts'
import { checkFile, restoreBackup } from '../core/storage/embedded/backup/restore.ts'
import { createBackup } from './backup-create.ts'
import { type Command, type Commands, dispatch, parseFlags, print, UsageError } from './command.ts'
import { readPassword } from './password.ts'
import { readable, showProgress } from './progress.ts'

const create: Command = {
  usage: `Copies all data of a running server into a folder. The copy holds everything that was answered before it began.

Usage: weir backup create [--url URL] [--user USER [--password-stdin]] DIR

Options:
  --url URL         The main server, default http://127.0.0.1:4000
  --user USER       A user who may read and write, where the server has users
  --password-stdin  Read the password from the standard input; otherwise it is asked for
  -h, --help        Show this text

Run it again with the same folder to continue or to renew a backup: existing files are kept and partial ones continued. A complete backup is
replaced only when the new one is complete.`,
  async run(args) {
    const { values, positionals } = parseFlags(
      args,
      { url: { type: 'string' }, user: { type: 'string' }, 'password-stdin': { type: 'boolean' } },
      ['DIR']
    )
    const url = (values.url ?? 'http://127.0.0.1:4000').replace(/\/+$/, '')
    if (!/^https?:\/\//.test(url)) throw new UsageError(`--url: expected http://HOST:PORT, got ${JSON.stringify(url)}`)
    const password = values.user === undefined ? '' : await readPassword(values['password-stdin'] === true)
    const authorization = `Basic ${Buffer.from(`${values.user}:${password}`).toString('base64')}`
    const source = { url, ...(values.user !== undefined && { authorization }) }
    const dir = resolve(positionals[0]!)
    const { manifest, copiedFiles, copiedBytes } = await createBackup(source, dir)
    print(`${describe(manifest)} in ${dir}; ${copiedFiles} files with ${readable(copiedBytes)} were copied`)
  }
}

const verify: Command = {
  usage: `Reads a whole backup and compares every file with its checksum.

Usage: weir backup verify DIR

One line per file that is damaged or missing. Exit code 0: sound; 1: damaged.`,
  async run(args) {
    const dir = resolve(parseFlags(args, {}, ['DIR']).positionals[0]!)
    const manifest = await manifestOf(dir)
    const progress = showProgress('verifying', bytesOf(manifest))
    let damages = 0
    for (const file of manifest.files) {
      try {
        await checkFile(join(dir, file.path), file)
      } catch (error) {
        damages++
        print(`damage: ${(error as Error).message}`)
      }
      progress.add(file.bytes)
    }
    progress.end()
    print(`${describe(manifest)}: ${damages === 0 ? 'sound' : `${damages} damages`}`)
    if (damages > 0) process.exitCode = 1
  }
}

const restore: Command = {
  usage: `Makes a data folder of a backup, without a server. Every file is checked on the way.

Usage: weir backup restore DIR --data-home EMPTY

Options:
  --data-home EMPTY  A folder that is empty or does not exist; then: weir start --data-home EMPTY
  -h, --help         Show this text`,
  async run(args) {
    const { values, positionals } = parseFlags(args, { 'data-home': { type: 'string' } }, ['DIR'])
    if (values['data-home'] === undefined) throw new UsageError('--data-home is missing')
    const home = resolve(values['data-home'])
    const dir = resolve(positionals[0]!)
    const manifest = await manifestOf(dir)
    const progress = showProgress('restoring', bytesOf(manifest))
    await restoreBackup(manifest, dir, home, file => progress.add(file.bytes))
    progress.end()
    print(`${describe(manifest)} restored to ${home}`)
  }
}

const commands: Commands = {
  create: async () => create,
  verify: async () => verify,
  restore: async () => restore
}

const usage = `Copies the data of a running server, verifies and restores copies.

Usage: weir backup COMMAND

Commands:
  create [--url URL] [--user USER] DIR  Copy a running server's data into a folder, or go on with it
  verify DIR                            Check every file of a copy
  restore DIR --data-home EMPTY         Make a data folder of a copy`

export const backup: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}

async function manifestOf(dir: string): Promise<Manifest> {
  const path = join(dir, 'manifest.json')
  try {
    return readManifest(await readFile(path, 'utf8'), path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error(`${path} is missing: the backup was never finished; weir backup create goes on with it`)
  }
}

function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

function describe(manifest: Manifest): string {
  const { files, created } = manifest
  return `backup of ${created}: ${files.length} files with ${readable(bytesOf(manifest))}`
}
