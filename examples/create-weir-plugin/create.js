// Writes the package of a new plugin: the template of its kind with its name in it, and what all packages have.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What each kind is, what stands above its table in weir.toml, how that goes on, and which files it has of other kinds. */
export const kinds = {
  ingest: { text: 'takes in data by HTTP: a protocol under /v1/NAME', toml: 'tag = "path"' },
  listener: { text: 'takes in data by TCP or UDP', toml: 'tcp.addr = "127.0.0.1:2003"', also: ['ingest/decode.js'] },
  processor: { text: 'is a step of log pipelines', toml: 'character = "*"' },
  query: { text: 'answers questions by HTTP, from SQL', toml: 'max_rows = 1000' },
  format: { text: 'adds a format that results are answered in', toml: '' },
  users: { text: 'says who somebody is: authentication', toml: '', top: 'user_provider = "plugin:NAME"\n' },
  page: { text: 'adds a page to the dashboard', toml: '' },
  exporter: {
    text: 'hands on what was stored to somebody else',
    toml: 'table = "readings"\nurl = "http://127.0.0.1:9000/"'
  }
}

/** Names of the built-in plugins, and the word that stands for the server itself: a plugin under one of them takes its place. */
export const takenNames = [
  ...['admin', 'alerting', 'core', 'dashboard', 'eventcollector', 'flows', 'ingest', 'jaeger', 'lineproto', 'logpush'],
  ...['logquery', 'metricsys', 'pipelines', 'profiling', 'promql', 'slowquery', 'sql', 'telemetry', 'tsdbput', 'vrl']
]

const templates = fileURLToPath(new URL('template', import.meta.url))
const license = new URL('LICENSE', import.meta.url)

/** What is wrong with a kind, undefined where there is one of that name. */
export function kindProblem(kind) {
  if (Object.hasOwn(kinds, kind)) return undefined
  return `unknown kind ${kind}: expected ${Object.keys(kinds).join(', ')}`
}

/** What is wrong with a name, undefined where it can be a plugin's. */
export function nameProblem(name) {
  const word = wordOf(name)
  if (!/^[a-z][a-z0-9_-]*$/.test(word))
    return `${name || 'nothing'} is not a name: expected a lower case letter, then such letters, digits, - and _`
  if (takenNames.includes(word))
    return `${word} is the name of a built-in plugin, and yours would take its place: choose another name`
  return undefined
}

/**
 * Throws an Error for an unknown kind, a name that is none or that a built-in plugin has, and a folder that is there. `parent` is where the
 * folder is made.
 */
export function createPlugin(kind, name, parent = '.') {
  const problem = kindProblem(kind) ?? nameProblem(name)
  if (problem !== undefined) throw new Error(problem)
  const word = wordOf(name)
  const packageName = `weir-plugin-${word}`
  const folder = join(parent, packageName)
  if (existsSync(folder)) throw new Error(`${folder} is there already`)
  const named = text => text.replaceAll(/\bsvc_mine_|\bmine\b|\bMine\b/g, found => namesOf(word)[found])
  const { also = [] } = kinds[kind]
  const own = readdirSync(join(templates, kind)).map(file => `${kind}/${file}`)
  const sources = [...own, ...also].map(path => ({ path, file: basename(path) }))
  const files = {
    ...Object.fromEntries(
      sources.map(({ path, file }) => [
        file.endsWith('.test.js') ? `test/${named(file)}` : file,
        named(readFileSync(join(templates, path), 'utf8'))
      ])
    ),
    'package.json': json(
      manifest(
        packageName,
        kind,
        sources.map(({ file }) => file)
      )
    ),
    'tsconfig.json': json(compiler),
    'weir.toml': `# weir start --config weir.toml\n${configOf(kind, word, './index.js')}\n`,
    'README.md': readme(packageName, word, kind),
    LICENSE: readFileSync(license, 'utf8'),
    '.gitignore': 'node_modules/\nweir_data/\n',
    '.github/workflows/test.yml': workflow
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return { folder, files: Object.keys(files).sort() }
}

function wordOf(name) {
  return name.replace(/^weir-plugin-/, '')
}

/** What stands in a template → what it becomes. Names of metrics have no `-`. */
function namesOf(word) {
  const title = word.replaceAll(/[_-]+/g, ' ').trim()
  return {
    mine: word,
    Mine: `${title[0].toUpperCase()}${title.slice(1)}`,
    svc_mine_: `svc_${word.replaceAll('-', '_')}_`
  }
}

function configOf(kind, word, module) {
  const { top = '', toml } = kinds[kind]
  return `${top.replace('NAME', word)}[plugins.${word}]\nmodule = "${module}"\n${toml}`
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

function manifest(name, kind, sources) {
  return {
    name,
    version: '0.1.0',
    description: `A plugin for weir-server: ${kinds[kind].text}`,
    keywords: ['weir-plugin'],
    license: 'Apache-2.0',
    type: 'module',
    exports: './index.js',
    files: sources.filter(file => !file.endsWith('.test.js')).sort(),
    engines: { node: '>=24' },
    scripts: { start: 'weir start --config weir.toml', test: 'tsc && node --test' },
    peerDependencies: { 'weir-server': '^0.1.0' },
    devDependencies: {
      '@types/node': '^24',
      fastify: '^5',
      typescript: '>=5.9',
      'weir-server': '^0.1.0'
    }
  }
}

/** JavaScript with checked types: what is published needs no build. */
const compiler = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'esnext.iterator'],
    types: ['node'],
    allowJs: true,
    checkJs: true,
    strict: true,
    noEmit: true,
    skipLibCheck: true
  },
  include: ['*.js', 'test/*.js']
}

const workflow = `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - run: npm install
      - run: npm test
`

function readme(packageName, word, kind) {
  return `# ${packageName}

A plugin for [Weir](https://www.npmjs.com/package/weir-server) that ${kinds[kind].text.replaceAll('NAME', word)}.

\`\`\`sh
npm install weir-server ${packageName}
\`\`\`

\`\`\`toml
# weir.toml
${configOf(kind, word, packageName)}
\`\`\`

\`\`\`sh
npx weir start --config weir.toml
\`\`\`

## Development

\`npm test\` checks the types and runs the tests against a real server; \`npm start\` starts one with this plugin. What a plugin can do:
\`node_modules/weir-server/docs/plugin-guide.md\`.
`
}
