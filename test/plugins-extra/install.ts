// A package of plugins-extra as its user has it: in node_modules beside the server.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from '../helpers.ts'

const root = join(import.meta.dirname, '../..')

/** What `npm install weir-server NAME` leaves in an empty folder. */
export function installExtra(t: Test, name: string): { readonly folder: string; readonly module: string } {
  const folder = temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  cpSync(join(root, 'plugins-extra', name), join(modules, name), { recursive: true })
  symlinkSync(root, join(modules, 'weir-server'))
  return { folder, module: join(modules, name) }
}
