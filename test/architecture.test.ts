// The layers of ARCHITECTURE.md, read from the import statements of every source file.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import type { TSchema } from 'typebox'
import type { SchemaNode } from '../core/config/read.ts'
import { configSchema } from '../core/config/schema.ts'
import type { PluginSpec } from '../core/plugin.ts'
import { catalogue } from '../plugins/index.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('{client,core,plugins}/**/*.{ts,tsx}', { cwd: root }).sort()
const text = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]))

interface Import {
  readonly from: string
  /** Path from the root, or a package name. */
  readonly to: string
  readonly typeOnly: boolean
}

const imports: Import[] = files.flatMap(importsOf)

/** First match wins; a file may import from its own layer and those below. */
const layers: readonly (readonly [RegExp, number])[] = [
  [/^core\/workers\/free\.ts$/, 0],
  [/^core\/(concurrent|errors|order-by-time|pace|pool|semver\.d|serial|sort-paced|timer|version)\.ts$/, 0],
  [/^core\/http\/context\.ts$/, 1],
  [/^core\/(model|wire|config|regex)\//, 0],
  [/^core\/(audit|component|compute)\.ts$/, 1],
  // The Parquet codec is a format of results, too.
  [/^core\/(log|metrics|trace|workers|format|storage\/embedded\/parquet)\//, 1],
  [/^core\/(storage|auth|search)\//, 2],
  [/^core\/(core|create|loop|phase|plugin|module|catalog-metrics)\.ts$/, 3],
  [/^core\/(api|index|registry|check|server|reload|start|follow|signals|defects|exit(\.worker)?)\.ts$/, 4],
  [/^core\/listener\/listener\.ts$/, 3],
  [/^core\/(http|listener)\//, 4]
]

const say = ({ from, to }: Import) => `${from} imports ${to}`

t.test('every file of core belongs to a layer', async t => {
  const homeless = files.filter(file => file.startsWith('core/') && layerOf(file) === undefined)
  t.strictSame(homeless, [])
})

t.test('imports of core point down or sideways, never up', async t => {
  const upward = imports.filter(({ from, to, typeOnly }) => {
    if (!from.startsWith('core/') || !isLocal(to)) return false
    // The interface of users is part of the request context, which is seen from everywhere.
    if (typeOnly && to === 'core/auth/provider.ts') return false
    return (layerOf(to) ?? 9) > layerOf(from)!
  })
  t.strictSame(upward.map(say), [])
})

t.test('a plugin imports the public API, its own folder, packages, and what services look like', async t => {
  const foreign = imports.filter(({ from, to }) => {
    const plugin = /^plugins\/[^/]+\//.exec(from)?.[0]
    if (plugin === undefined || !isLocal(to)) return false
    const isPublic = ['core/index.ts', 'core/compute.ts', 'core/wire/index.ts'].includes(to)
    return !isPublic && !to.startsWith(plugin) && to !== 'plugins/services.ts'
  })
  t.strictSame(foreign.map(say), [])
  // So that it leads to the code of no other plugin.
  const fromServices = imports.filter(({ from, typeOnly }) => from === 'plugins/services.ts' && !typeOnly)
  t.strictSame(
    fromServices.map(({ to }) => to),
    ['core/index.ts']
  )
})

t.test('core/index.ts exports what plugins use, what is promised, and the seam of engines', async t => {
  const clauses = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm
  const namesOf = (content: string, from: RegExp) =>
    Array.from(content.matchAll(clauses), ([, names, source]) => (from.test(source!) ? names! : ''))
      .flatMap(names => names.split(','))
      .map(name => name.trim().replace(/^type /, ''))
  const users = globSync('{examples,plugins,plugins-extra,test/contract}/**/*.{ts,js}', {
    cwd: root,
    exclude: file => file.includes('node_modules') || file.includes('assets')
  })
  const used = users.flatMap(file =>
    namesOf(readFileSync(join(root, file), 'utf8'), /core\/|^weir-server/).map(name => name.split(' as ')[0])
  )
  const promised = namesOf(text.get('core/api.ts')!, /./)
  const seam = [...text.get('core/storage/engine.ts')!.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name!
  )
  // What engines throw, and what they are handed.
  const known = new Set([...used, ...promised, ...seam, 'LimitReached', 'Tracing'])
  const exported = ['core/index.ts', 'core/compute.ts'].flatMap(file => namesOf(text.get(file)!, /./))
  t.ok(exported.length > 200)
  t.strictSame(
    exported.map(name => name.split(' as ').at(-1)!).filter(name => !known.has(name)),
    []
  )
})

t.test('each key of the configuration is read somewhere', async t => {
  const read = (folder: RegExp) => files.filter(file => folder.test(file)).map(file => text.get(file)!)
  const unread = (schema: SchemaNode, path: string, sources: readonly string[]): readonly string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([key, node]) => [
      // The schema has the key itself.
      ...(sources.flatMap(source => source.match(new RegExp(`\\b${key}\\b`, 'g')) ?? []).length > 1
        ? []
        : [path + key]),
      ...unread(node, `${path}${key}.`, sources)
    ])
  const quotas = /^http\.quota\.(user|address)_(bytes|rows|queries)$/ // Read as `${holder}_${kind}`.
  const core = unread(configSchema as TSchema as SchemaNode, '', read(/^(core|plugins)\//))
  const own = await Promise.all(
    Object.entries(catalogue).map(async ([name, load]) => {
      const { default: spec } = (await load()) as { default: PluginSpec }
      return unread(spec.config as SchemaNode, `plugins.${name}.`, read(new RegExp(`^plugins/${name}/`)))
    })
  )
  t.strictSame(
    [...core, ...own.flat()].filter(key => !quotas.test(key)),
    []
  )
})

t.test('threads load nothing of the server', async t => {
  // Reducers run in the storage engine's reading threads.
  const threads = files.filter(file => file.endsWith('.worker.ts') || file.endsWith('/reducer.ts'))
  t.not(threads.length, 0)
  const heavy = threads.flatMap(file => [...reached(file)].filter(to => to === 'core/index.ts').map(() => file))
  t.strictSame(heavy, [])
})

t.test('the client imports nothing but its own files: it runs in browsers', async t => {
  const own = imports.filter(({ from }) => from.startsWith('client/'))
  t.not(own.length, 0)
  t.strictSame(own.filter(({ to }) => !to.startsWith('client/')).map(say), [])
})

t.test('a name is exported because another file imports it', async t => {
  // The API of third parties, and declarations of packages without types of their own.
  const outward = /^(client\/|plugins\/(services|processor)\.ts$)|\.d\.ts$/
  const others = globSync('{bench,bin,build,docs,examples,test}/**/*.ts', { cwd: root })
  const imported = new Set<string>()
  for (const file of [...files, ...others]) {
    const content = text.get(file) ?? readFileSync(join(root, file), 'utf8')
    const lists = content.matchAll(
      /^(?:import|export) (?:type )?(?:\w+, )?(?:\{([^}]*)\}|\*(?: as \w+)?) from '(\.[^']+)'/gm
    )
    for (const [, names = '*', from] of [...lists, ...content.matchAll(/import\(()'(\.[^']+)'\)/g)]) {
      const path = join(dirname(file), from!)
      for (const name of names.split(',')) imported.add(`${path} ${name.trim().replace(/^type | as .*/g, '') || '*'}`)
    }
  }
  const exported = /^export (?:async )?(?:function\*?|class|const|let|interface|type) (\w+)/gm
  t.strictSame(
    files
      .filter(file => !outward.test(file) && !imported.has(`${file} *`))
      .flatMap(file => Array.from(text.get(file)!.matchAll(exported), ([, name]) => `${file} ${name}`))
      .filter(each => !imported.has(each)),
    []
  )
})

t.test('there are no circles of imports', async t => {
  const edges = Map.groupBy(
    imports.filter(({ to, typeOnly }) => isLocal(to) && !typeOnly),
    ({ from }) => from
  )
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
    if (trail.includes(file) || done.has(file)) return
    for (const { to } of edges.get(file) ?? []) visit(to, [...trail, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  t.strictSame(circles, [])
})

t.test('heavy packages have one door', async t => {
  const doors: Readonly<Record<string, RegExp>> = {
    '@duckdb/node-api': /^core\/storage\/embedded\/duckdb\//,
    '@clickhouse/client': /^core\/storage\/clickhouse\/connection\.ts$/,
    '@duckdb/node-bindings': /^core\/storage\/embedded\/duckdb\//,
    fastify: /^core\/(http\/.*|server|start|plugin)\.ts$|^plugins\/[^/]+\/([^/]+\/)*(routes|index)\.ts$/,
    '@opentelemetry/api': /^core\/trace\/otlp\.ts$/,
    '@opentelemetry/sdk-trace': /^core\/trace\/otlp\.ts$/,
    'prom-client': /^core\/metrics\/metrics\.ts$/,
    '@guanmingchiu/sqlparser-ts': /^plugins\/sql\/grammar\/grammar\.worker\.ts$/
  }
  const strays = imports.filter(({ from, to, typeOnly }) => !typeOnly && doors[to]?.test(from) === false)
  t.strictSame(strays.map(say), [])
})

t.test('timers are those of core/timer.ts, which hold any duration', async t => {
  const runtime = /\b(?:setTimeout|setInterval)\(|timers\/promises/
  const found = [...text].filter(([file, content]) => {
    const inBrowser = /^(client\/|plugins\/(dashboard\/web\/|[^/]+\/page\.ts$))/.test(file)
    return file !== 'core/timer.ts' && !inBrowser && runtime.test(content)
  })
  t.strictSame(
    found.map(([file]) => file),
    []
  )
})

t.test(
  'an error gets another message by withMessage, which keeps its status, Retry-After and whether it quotes values',
  t => {
    const rebuilt = /new DbError\((\w+)\.code,/
    t.strictSame(
      files.filter(file => rebuilt.test(text.get(file)!)),
      []
    )
    t.end()
  }
)

t.test('no regular expression takes time by the square of its text', async t => {
  // Literals alone: what users bring runs in linear time anyway (decision 8).
  const quadratic: Readonly<Record<string, RegExp>> = {
    'digits, a point that may be missing, and digits': /\\d[+*]\\\.\?\\d[+*]/,
    'a run of white space that begins anywhere': /(?:split|replace|replaceAll|match|matchAll|search)\(\/\\s[+*](?!\/)/,
    'a run at the end that begins anywhere': /[(]\/(?:\\?[^\\^(]|\[[^\]^][^\]]*\])[+*]\$\//
  }
  const found = [...text].flatMap(([file, content]) =>
    file.startsWith('plugins/dashboard/web/')
      ? []
      : Object.entries(quadratic)
          .filter(([, pattern]) => pattern.test(content))
          .map(([what]) => `${file}: ${what}`)
  )
  t.strictSame(found, [])
})

t.test('core contains no protocol word', async t => {
  const words =
    /lineproto(?!_v1|-v1|V1)|metricsys|(?<!enable_|open)telemetry(?!-api)|logpush|eventcollector|tsdbput|promql|splunk|\bloki\b|influx|opentsdb/i
  const found = [...text]
    .filter(([file]) => file.startsWith('core/'))
    .flatMap(([file, content]) =>
      content.split('\n').map((line, i) => ({ at: `${file}:${i + 1}`, word: words.exec(line) }))
    )
    .filter(({ word }) => word !== null)
  t.strictSame(
    found.map(({ at, word }) => `${at} says ${word![0]}`),
    []
  )
})

t.test('the catalogue lists every plugin folder', async t => {
  const catalogue = text.get('plugins/index.ts')!
  const folders = globSync('plugins/*/index.ts', { cwd: root }).map(file => file.split('/')[1]!)
  t.strictSame(
    folders.filter(folder => !catalogue.includes(`${folder}: () => import('./${folder}/index.ts')`)),
    []
  )
})

t.test('protocols look alike: the same files under the same names', async t => {
  // A protocol of several signals has a folder for each that decodes and stores.
  const protocols: Readonly<Record<string, readonly string[]>> = {
    lineproto: [''],
    tsdbput: [''],
    logpush: [''],
    eventcollector: [''],
    telemetry: ['logs/', 'traces/', 'metrics/'],
    metricsys: ['write/']
  }
  const missing = Object.entries(protocols).flatMap(([name, parts]) => {
    const has = (file: string) => existsSync(join(root, 'plugins', name, file))
    const shared = ['index.ts', 'routes.ts', 'errors.ts', 'README.md'].filter(file => !has(file))
    const own = parts.flatMap(part => [
      ...['receive.ts', 'columns.ts'].filter(file => !has(part + file)).map(file => part + file),
      ...(has(`${part}decode.ts`) || has(`${part}decode`) ? [] : [`${part}decode.ts`])
    ])
    return [...shared, ...own].map(file => `${name}/${file}`)
  })
  t.strictSame(missing, [])
})

t.test('decoders and encoders take bytes or columns, and know no request', async t => {
  const folders = /^plugins\/[^/]+\/(.*\/)?(decode|encode|wire)(\/|\.ts$)|^core\/(format|wire)\//
  const codecs = files.filter(file => folders.test(file))
  t.ok(codecs.length > 70)
  const bound = codecs.filter(file => /\b(RequestContext|PluginCore|Core|Store|Fastify\w+)\b/.test(text.get(file)!))
  t.strictSame(bound, [])
})

t.test('the dashboard stands alone in the browser, and its pages stand alone in it', async t => {
  const web = 'plugins/dashboard/web/src/'
  const shared = ['plugins/dashboard/host.ts', 'plugins/dashboard/boards/facts.ts']
  /** What is loaded on its own, so that it may not be reached from elsewhere. */
  const part = (file: string) => /^pages\/[^/]+\//.exec(file.slice(web.length))?.[0] ?? ''
  const strays = imports.filter(({ from, to, typeOnly }) => {
    if (!from.startsWith(web) || !isLocal(to)) return false
    if (!to.startsWith(web)) return !(typeOnly && shared.includes(to))
    return part(to) !== '' && part(to) !== part(from)
  })
  t.strictSame(strays.map(say), [])
  const upward = imports.filter(
    ({ from, to }) => from.startsWith(`${web}api/`) && (to.startsWith(`${web}components/`) || /^preact/.test(to))
  )
  t.strictSame(upward.map(say), [], 'requests know nothing of what is shown')
  const server = files.filter(file => file.startsWith(web) && /from 'node:/.test(text.get(file)!))
  t.strictSame(server, [])
})

t.test('pages that plugins add to the dashboard import nothing', async t => {
  const bound = imports.filter(({ from, typeOnly }) => /^plugins\/[^/]+\/page\.ts$/.test(from) && !typeOnly)
  t.strictSame(bound.map(say), [])
})

t.test('files of the dashboard are short', async t => {
  const long = globSync('plugins/dashboard/{*,web/**/*}.{ts,tsx,css}', { cwd: root })
    .map(file => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
    .filter(({ file, lines }) => lines > (file.endsWith('.css') ? 300 : 200))
  t.strictSame(long, [])
})

function layerOf(file: string): number | undefined {
  return layers.find(([pattern]) => pattern.test(file))?.[1]
}

/** Every file that is loaded with one. */
function reached(from: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(from)) return seen
  seen.add(from)
  for (const { to } of imports.filter(each => each.from === from && !each.typeOnly)) reached(to, seen)
  return seen
}

function isLocal(to: string): boolean {
  return to.startsWith('core/') || to.startsWith('plugins/') || to.startsWith('test/')
}

function importsOf(file: string): Import[] {
  const statements = text
    .get(file)!
    .matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import '([^']+)'/gm)
  return [...statements].map(([, type, from, bare]) => {
    const target = from ?? bare!
    const to = target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target
    return { from: file, to, typeOnly: type !== undefined }
  })
}
