// Names functions by their location: in this package, in a plugin, or in another package.
import { fileURLToPath } from 'node:url'
import type { Frame } from './profile.ts'

/** A function as V8 describes it; line and column from 0. */
export interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

interface FrameOptions {
  /** Folder of this package, with a slash at the end. */
  readonly root: string
  /** Third-party plugins: package name or path → plugin name. */
  readonly modules: ReadonlyMap<string, string>
}

export type FrameNamer = (callFrame: CallFrame) => Frame

/** Frames for V8's call frames; equal frames are one object. */
export function createFrameNamer(options: FrameOptions): FrameNamer {
  const byCall = new Map<string, Frame>()
  const byText = new Map<string, Frame>()
  return callFrame => {
    const { functionName, url, lineNumber, columnNumber } = callFrame
    const key = `${functionName}\n${url}\n${lineNumber}\n${columnNumber}`
    let frame = byCall.get(key)
    if (frame === undefined) {
      const made = makeFrame(callFrame, options)
      const text = `${made.name}\n${made.file}\n${made.line}`
      frame = byText.get(text) ?? made
      byText.set(text, frame)
      byCall.set(key, frame)
    }
    return frame
  }
}

/** Frames for things that are not functions, or have a known location; equal frames are one object. */
export function createFrameSet(): (name: string, file?: string, line?: number) => Frame {
  const known = new Map<string, Frame>()
  return (name, file = '', line = 0) => {
    const key = `${name}\n${file}\n${line}`
    let frame = known.get(key)
    if (frame === undefined) {
      frame = { name, file, line, ...belonging(file) }
      known.set(key, frame)
    }
    return frame
  }
}

const native = { file: '', line: 0, owner: 'native', kind: 'native' } as const

/** V8's names of things that are not functions. */
const special: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'gc'],
  ['(program)', 'node']
])

function makeFrame(callFrame: CallFrame, options: FrameOptions): Frame {
  const { functionName, url } = callFrame
  const name = functionName || (url === '' ? '(native)' : '(anonymous)')
  const known = special.get(name)
  if (known !== undefined && url === '') return { ...native, name: `[native] ${known}`, owner: known }
  if (url === '') return { ...native, name }
  const location = locationOf(callFrame, options)
  const plugin = pluginOf(location.file, options.modules)
  return { name, ...location, ...(plugin === undefined ? belonging(location.file) : { owner: plugin, kind: 'plugin' }) }
}

function locationOf({ url, lineNumber }: CallFrame, { root }: FrameOptions) {
  const path = pathOf(url)
  if (path === undefined) return { file: url, line: lineNumber + 1 }
  return { file: shorten(path, root), line: lineNumber + 1 }
}

/** The path of a URL or CommonJS path; undefined if it is not a file of this system. */
function pathOf(url: string): string | undefined {
  if (url.startsWith('/')) return url
  try {
    return url.startsWith('file:') ? fileURLToPath(url) : undefined
  } catch {
    return undefined
  }
}

/** Relative to the innermost `node_modules`, else to this package. */
function shorten(path: string, root: string): string {
  const folder = '/node_modules/'
  const at = path.lastIndexOf(folder)
  const inside = path.startsWith(root) ? path.slice(root.length) : undefined
  if (at >= 0 && (inside === undefined || inside.includes('node_modules/'))) return path.slice(at + folder.length)
  return inside ?? path
}

function pluginOf(file: string, modules: ReadonlyMap<string, string>): string | undefined {
  for (const [module, name] of modules) {
    const end = module.replace(/^(\.{1,2}\/)+/, '')
    if (file.startsWith(`${module}/`) || file === end || file.endsWith(`/${end}`)) return name
  }
  return undefined
}

function belonging(file: string): Pick<Frame, 'owner' | 'kind'> {
  const [first = '', second = ''] = file.split('/')
  if (file === '') return { owner: 'native', kind: 'native' }
  if (first === 'plugins' && second !== '') return { owner: second.replace(/\.[jt]s$/, ''), kind: 'plugin' }
  if (first === 'core' || first === 'bin') return { owner: first, kind: 'core' }
  if (file.startsWith('node:')) return { owner: 'node', kind: 'node' }
  if (file.includes('://')) return { owner: 'native', kind: 'native' }
  return { owner: first.startsWith('@') ? `${first}/${second}` : first || 'elsewhere', kind: 'package' }
}
