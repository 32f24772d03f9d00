// npm run build: makes the folder that is published, dist/package. It is laid out as the repository is, with JavaScript where there is
// TypeScript here, and its manifest is the only one that npm ever sees.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'vite'
import { bundleDependencies, packagesOf } from './bundle.ts'
import { noticesOf } from './notices.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist/package')

/** What is published as it is. */
const documents = [
  'README.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'docs/**/*.{md,svg}',
  'docs/*.json'
]
const copied = [...documents, 'bin/weir.js', 'examples/**', 'plugins/**/README.md', 'plugins-extra/**', 'packaging/**']

/** What cannot be built in, and why; these stay dependencies of the published package. */
const external: Readonly<Record<string, string>> = {
  '@duckdb/node-bindings': 'native code',
  '@guanmingchiu/sqlparser-ts': 'WebAssembly, read as a file',
  fastify: 'plugins see its instances and types',
  pino: "fastify's own, and its threads are files",
  typebox: 'plugins write schemas with it',
  'uap-core': 'data, read as a file'
}

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly repository: { readonly url: string }
  readonly [key: string]: unknown
}

export async function buildPackage(): Promise<void> {
  rmSync(target, { recursive: true, force: true })
  run('tsc', '-p', 'tsconfig.build.json', '--outDir', target)
  const dashboard = await buildDashboard()
  cpSync(join(root, 'plugins/dashboard/assets'), join(target, 'plugins/dashboard/assets'), { recursive: true })
  for (const file of globSync(copied, { cwd: root, exclude: path => /(^|\/)node_modules$/.test(String(path)) }))
    copy(file)

  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const bundled = await bundleDependencies(target, Object.keys(external), root)
  writeFileSync(join(target, 'THIRD-PARTY-NOTICES.md'), noticesOf([...new Set([...bundled, ...dashboard])].sort()))
  removeUnreachableTypes(Object.values(manifest.exports).filter(isSource))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`)
}

/** The folders of the packages that are in it. */
async function buildDashboard(): Promise<readonly string[]> {
  const configFile = join(root, 'plugins/dashboard/web/vite.config.ts')
  const built = await build({ configFile, configLoader: 'native', logLevel: 'warn' })
  if (!('output' in built)) throw new Error('the dashboard is one build')
  return packagesOf(built.output)
}

/** The built files instead of the sources; no Node of its own, and no scripts or packages that only make sense in the repository. */
function published(manifest: Manifest): object {
  const { private: _, scripts: __, devDependencies: ___, optionalDependencies: ____, exports, ...rest } = manifest
  const dependencies = Object.fromEntries(Object.keys(external).map(name => [name, manifest.dependencies[name]]))
  const entries = Object.entries(exports).map(([name, file]) => {
    if (!isSource(file)) return [name, file]
    return [name, { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') }]
  })
  return { ...rest, ...addressesOf(manifest), dependencies, exports: Object.fromEntries(entries), ...commit() }
}

/** Where the project is at home follows from its repository, which is named in one place. */
function addressesOf({ repository: { url } }: Manifest) {
  const home = url.replace(/^git\+|\.git$/g, '')
  return { homepage: `${home}#readme`, bugs: { url: `${home}/issues` } }
}

function isSource(file: string): boolean {
  return file.endsWith('.ts')
}

/** The commit this is made from, where git knows one. */
function commit(): { readonly gitHead?: string } {
  try {
    return {
      gitHead: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
    }
  } catch {
    return {}
  }
}

/** Types that nobody can import are dead weight. */
function removeUnreachableTypes(entries: readonly string[]): void {
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import|module)\s*\(?\s*['"](\.[^'"]+)['"]/g
    ))
      visit(join(dirname(file), specifier!.replace(/\.[jt]s$/, '.d.ts')))
  }
  for (const entry of entries) visit(join(target, entry.replace(/\.ts$/, '.d.ts')))
  for (const file of globSync('{bin,client,core,plugins,test}/**/*.d.ts', { cwd: target })) {
    if (!reached.has(join(target, file))) rmSync(join(target, file))
  }
}

function copy(file: string): void {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  cpSync(join(root, file), join(target, file), { recursive: true })
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(join(root, 'node_modules/.bin', program), args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}

if (import.meta.main) {
  await buildPackage()
  process.stdout.write(`${relative(process.cwd(), target)} is what npm publish publishes\n`)
}
