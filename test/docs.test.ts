import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { entries, exportedNames, publicNames } from '../docs/api.ts'
import { apiDeclarations, declarationReference } from '../docs/declarations.ts'
import { generatedPages } from '../docs/generate.ts'
import { temporaryFolder } from './helpers.ts'

t.test('generated pages are up to date (npm run docs writes them)', async t => {
  for (const [name, text] of await generatedPages()) {
    t.equal(readFileSync(join(import.meta.dirname, '../docs', name), 'utf8'), text, `docs/${name}`)
  }
})

t.test('the numbers of docs/limits.md are those of the code', async t => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  const rows = [...read('docs/limits.md').matchAll(/^\| (?!Limit |---)(.+) \| (.+) \| `(.+)` \|$/gm)]
  t.ok(rows.length > 50)
  for (const [, limit, value, file] of rows) {
    const [, digits, unit] = /^([\d,]+)(?: (KiB|MiB|s|million)\b)?/.exec(value!)!
    const factor = { KiB: 2 ** 10, MiB: 2 ** 20, s: 1_000, million: 1_000_000 }[unit ?? ''] ?? 1
    t.ok(numbersIn(read(file!)).has(Number(digits!.replaceAll(',', '')) * factor), `${limit}: ${value} in ${file}`)
  }
})

/** The numbers of a source file, and the products and powers of two. */
function numbersIn(source: string): Set<number> {
  const number = '\\d[\\d_]*(?:e\\d+)?'
  const found = source.matchAll(new RegExp(`(${number})(?: (<<|\\*\\*?) (${number})(?: \\*\\* (${number}))?)?`, 'g'))
  const value = (digits: string | undefined) => Number(digits?.replaceAll('_', ''))
  return new Set(
    Array.from(found, ([, first, sign, second, power]) => {
      const right = power === undefined ? value(second) : value(second) ** value(power)
      if (sign === '<<') return value(first) * 2 ** right
      return sign === undefined ? value(first) : sign === '**' ? value(first) ** right : value(first) * right
    })
  )
}

t.test('the declarations of the API have each name of it', async t => {
  const page = readFileSync(join(import.meta.dirname, '../docs/api-declarations.md'), 'utf8')
  const sections = new Map(page.split('\n## `').map(text => [text.slice(0, text.indexOf('`')), text]))
  for (const [module, file] of Object.entries(entries)) {
    const text = sections.get(module) ?? ''
    const missing = exportedNames(file).filter(({ name }) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(text))
    t.strictSame(missing, [], module)
  }
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  const modules = Object.keys(manifest.exports).map(name => name.replace(/^\./, 'weir-server'))
  t.strictSame(
    modules.filter(name => !(name in entries)).sort(),
    ['weir-server/internals', 'weir-server/package.json'],
    'every module that can be imported is there, but those without a promise'
  )
})

t.test('the declarations show what others can use, and nothing else', async t => {
  const folder = temporaryFolder(t)
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  write('package.json', '{ "type": "module" }')
  write(
    'deep.ts',
    "export interface Depth { readonly fathoms: number }\nexport const unused = 1\nexport type Way = 'up' | 'down'\n"
  )
  write('index.ts', source)
  const of = () => apiDeclarations({ box: 'index.ts' }, folder)
  const { modules, others, augmentations } = of()
  t.strictSame(
    modules.get('box')!.map(({ name }) => name),
    ['Box', 'Kind', 'Parts', 'boxOf', 'sizes']
  )
  const text = modules
    .get('box')!
    .map(each => each.text)
    .join('\n')
  t.match(text, /^export type Kind = 'a' \| 'b' \| 'c';$/m, 'all members of a union')
  t.match(text, /^ {4}readonly lid\?: Depth;$/m, 'members of an interface with their types')
  t.match(text, /^ {4}fill\(by: number, kind\?: Kind\): boolean;$/m, 'members of a class, types that are inferred, too')
  t.match(text, /^export declare function boxOf\(parts: Parts\): Box;$/m)
  t.match(text, /^export declare const sizes: readonly \[1, 2\];$/m)
  t.notMatch(text, /secret|inner|hidden|\/[/*]/, 'nothing private, nothing internal, no comments')
  t.strictSame(
    others.map(({ file, name }) => [file, name]),
    [
      ['deep.ts', 'Depth'],
      ['deep.ts', 'Way']
    ],
    'and what they name, also in what is added to others'
  )
  t.match(augmentations, [{ name: 'node:path', text: /way: Way/ }])
  const before = declarationReference({ box: 'index.ts' }, folder)
  write('deep.ts', "export interface Depth { readonly fathoms: bigint }\nexport type Way = 'up' | 'down'\n")
  t.not(declarationReference({ box: 'index.ts' }, folder), before, 'a type changed behind a member shows')
})

const source = `import type { Depth, Way } from './deep.ts'
declare module 'node:path' { interface PlatformPath { way: Way } }
export type Kind = 'a' | 'b' | 'c'
/** What it is. */
export interface Parts { readonly kind: Kind; readonly lid?: Depth }
export class Box {
  #secret = 1
  /** @internal */
  inner = 2
  fill(by: number, kind: Kind = 'a') { return this.#secret > by || kind === 'b' }
}
/** @internal */
export const hidden = 1
const local = { inner: 1 }
export function boxOf(parts: Parts): Box { return local.inner ? new Box() : new Box() }
export const sizes = [1, 2] as const
`

t.test('each name of weir-server has its documentation, and an example that a test runs', async t => {
  const names = publicNames()
  t.ok(names.length <= 65, `${names.length} names are promised: more are harder to keep`)
  for (const { name, text, example } of names) {
    t.not(text, '', `${name} says what it is`)
    t.ok(example, `${name} is used in an example`)
  }
})

t.test('each name that plugins can import has its documentation', async t => {
  for (const file of ['core/index.ts', 'core/wire/index.ts', 'plugins/services.ts', 'plugins/processor.ts'])
    for (const { name, text } of exportedNames(file)) t.not(text, '', `${file}: ${name} says what it is`)
})

t.test('the plugin guide says of names without a promise where they are from', async t => {
  const promised = new Set(publicNames().map(({ name }) => name))
  const page = readFileSync(join(import.meta.dirname, '../docs/plugin-guide.md'), 'utf8')
  const [guide] = page.replaceAll(/```[\s\S]*?```/g, '').split('## A plugin inside the repository')
  const others = exportedNames('core/index.ts').flatMap(({ name }) => (promised.has(name) ? [] : [name]))
  t.ok(others.length > 100)
  for (const line of guide!.split('\n')) {
    const named = Array.from(line.matchAll(/`(\w+)\b/g), ([, name]) => name!).filter(name => others.includes(name))
    if (named.length > 0) t.match(line, 'weir-server/internals', named.join())
  }
})
