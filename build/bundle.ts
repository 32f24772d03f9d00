// Packages that only the server itself uses are built into the package, each as one file with what it needs of them.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

/** What a file imports of a package, with the place of the specifier in its text. */
interface Import {
  readonly specifier: string
  readonly start: number
  readonly end: number
  /** `*` for everything. */
  readonly names: readonly string[]
}

/** Folder of what is built in. */
const folder = 'bundled'

/**
 * Replaces the imports of packages in the JavaScript of `target`: those that `kept` does not name are bundled, and so is `typebox`, though
 * plugins import it as well. Returns the folders of the packages that are in the bundles.
 */
export async function bundleDependencies(
  target: string,
  kept: readonly string[],
  root: string
): Promise<readonly string[]> {
  const files = globSync('{bin,client,core,plugins,test}/**/*.js', {
    cwd: target,
    exclude: ['plugins/dashboard/assets/**']
  })
  const found = files.map(file => ({ file: join(target, file), imports: importsOf(join(target, file), kept) }))
  const wanted = Map.groupBy(
    found.flatMap(({ imports }) => imports),
    ({ specifier }) => specifier
  )
  const input: Record<string, string> = {}
  const sources = new Map<string, string>()
  for (const [specifier, imports] of wanted) {
    const id = `\0entry:${specifier}`
    input[fileName(specifier)] = id
    sources.set(id, entryOf(specifier, new Set(imports.flatMap(({ names }) => names))))
  }
  const build = await rolldown({
    input,
    platform: 'node',
    external: [...kept.filter(name => name !== 'typebox').map(name => new RegExp(`^${name}(/|$)`)), /^node:/],
    plugins: [
      {
        name: 'entries',
        resolveId(id, importer) {
          if (sources.has(id)) return id
          return importer && sources.has(importer)
            ? this.resolve(id, join(root, 'package.json'), { skipSelf: true })
            : null
        },
        load: id => sources.get(id) ?? null
      }
    ],
    onLog(level, log, handler) {
      if (log.code !== 'EVAL' && log.code !== 'CIRCULAR_DEPENDENCY') handler(level, log)
    }
  })
  const { output } = await build.write({
    dir: join(target, folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js'
  })
  for (const { file, imports } of found) if (imports.length > 0) rewrite(file, imports, target)
  return packagesOf(output)
}

function importsOf(file: string, kept: readonly string[]): Import[] {
  const text = readFileSync(file, 'utf8')
  if (!/\b(?:from|import)\b/.test(text)) return []
  const imports: Import[] = []
  const add = (
    source: { readonly value: unknown; readonly start: number; readonly end: number },
    names: readonly string[]
  ) => {
    const specifier = String(source.value)
    if (isBundled(specifier, kept)) imports.push({ specifier, start: source.start, end: source.end, names })
  }
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    // biome-ignore lint/suspicious/noExplicitAny: nodes of a syntax tree
    const { type, source, specifiers } = node as any
    if (type === 'ImportDeclaration') add(source, specifiers.map(nameOf))
    else if (type === 'ImportExpression' && source.type === 'Literal') add(source, ['*'])
    else if (source?.type === 'Literal' && isBundled(String(source.value), kept))
      throw new Error(`${file} exports ${source.value} again: import it`)
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value)
  }
  visit(parseAst(text, { lang: 'js' }, file))
  return imports
}

// biome-ignore lint/suspicious/noExplicitAny: a node of a syntax tree
function nameOf(specifier: any): string {
  if (specifier.type === 'ImportDefaultSpecifier') return 'default'
  return specifier.type === 'ImportNamespaceSpecifier' ? '*' : specifier.imported.name
}

function isBundled(specifier: string, kept: readonly string[]): boolean {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || specifier.startsWith('weir-server')) return false
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  return name === 'typebox' || !kept.includes(name)
}

function entryOf(specifier: string, names: ReadonlySet<string>): string {
  const from = JSON.stringify(specifier)
  if (names.has('*')) return `export * from ${from}`
  return `export { ${[...names].join(', ')} } from ${from}`
}

function fileName(specifier: string): string {
  return specifier.replace(/^@/, '').replace(/\.js$/, '').replaceAll('/', '-')
}

function rewrite(file: string, imports: readonly Import[], target: string): void {
  let text = readFileSync(file, 'utf8')
  for (const { specifier, start, end } of imports.toSorted((a, b) => b.start - a.start)) {
    const path = relative(dirname(file), join(target, folder, `${fileName(specifier)}.js`))
    text = `${text.slice(0, start)}'${path.startsWith('.') ? path : `./${path}`}'${text.slice(end)}`
  }
  writeFileSync(file, text)
}

/** Folders of the packages that are part of a build. */
export function packagesOf(output: readonly (OutputChunk | OutputAsset)[]): readonly string[] {
  const modules = output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []))
  const folders = modules.map(id => /^[^\0]*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(folders.filter(each => each !== undefined))].sort()
}
