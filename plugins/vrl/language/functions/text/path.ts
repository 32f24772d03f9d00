// Functions on paths of files, as texts with slashes.
import type { FunctionSpec } from '../../function.ts'
import { arrayOf, kinds, union } from '../../kind.ts'
import { lossy, type Text } from '../../value.ts'

const value = { name: 'value', kind: kinds.string }

export const filePaths: readonly FunctionSpec[] = [
  {
    name: 'basename',
    summary: 'The last part of a path; null when there is none or it is `..`.',
    params: [value],
    returns: union(kinds.string, kinds.null),
    fallible: true,
    run: (path: Text) => {
      const last = components(lossy(path)).at(-1)
      return last === undefined || last === '/' || last === '.' || last === '..' ? null : last
    },
    examples: [
      { title: 'A file', source: 'basename!("/usr/local/bin/node")', result: '"node"' },
      { title: 'The root', source: 'basename!("/")', result: 'null' }
    ]
  },
  {
    name: 'dirname',
    summary: 'A path without its last part; `.` when there was only one.',
    params: [value],
    returns: kinds.string,
    fallible: true,
    run: (path: Text) => parentOf(lossy(path)),
    examples: [
      { title: 'A file', source: 'dirname!("/usr/local/bin/node")', result: '"/usr/local/bin"' },
      { title: 'No folder', source: 'dirname!("file.txt")', result: '"."' }
    ]
  },
  {
    name: 'split_path',
    summary: 'The parts of a path; a leading slash is one, too.',
    params: [value],
    returns: arrayOf(kinds.string),
    run: (path: Text) => components(lossy(path)),
    examples: [{ title: 'A file', source: 'split_path("/home//user/a.txt")', result: '["/","home","user","a.txt"]' }]
  }
]

/** Empty parts count for nothing, nor does a dot unless it begins the path. */
function components(path: string): string[] {
  const parts = path.split('/').filter((part, i) => part !== '' && (part !== '.' || i === 0))
  return path.startsWith('/') ? ['/', ...parts] : parts
}

/** The part of the text before the last component, as it was written. */
function parentOf(path: string): string {
  const last = components(path).at(-1)
  if (last === undefined) return '.'
  if (last === '/') return '/'
  let end = path.length
  const skip = () => {
    while (end > 0) {
      if (path[end - 1] === '/') end--
      else if (path[end - 1] === '.' && path[end - 2] === '/') end--
      else break
    }
  }
  skip()
  end -= last.length
  skip()
  if (end > 0) return path.slice(0, end)
  return path.startsWith('/') ? '/' : '.'
}
