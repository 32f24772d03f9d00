// Checks the types of files as their author does, in a folder with a tsconfig.json.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** What the compiler says of the folder's own files; of the server's sources, which are no declarations here, it says other things. */
export function typeErrors(folder: string): string {
  // By a shell of its own: tap has every Node of a test load its hooks, with which the compiler does not start.
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { stdout, stderr, status } = spawnSync('sh', ['-c', `NODE_OPTIONS= exec ${compiler} -p . --pretty false`], {
    cwd: folder,
    encoding: 'utf8'
  })
  if (stderr !== '' || status === null) throw new Error(`the compiler does not run: ${stderr}`)
  // Further lines of an error are indented.
  return stdout
    .split(/\n(?! )/)
    .filter(error => error !== '' && !error.startsWith('../'))
    .join('\n')
}
