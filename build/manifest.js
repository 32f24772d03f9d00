// Around `npm pack`: `prepack` turns package.json into the published one, `postpack` turns it back.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const kept = `${manifest}.kept`

/** The built files instead of the sources; no Node of its own, no scripts that only make sense in the repository. */
function published({ scripts: _, devDependencies: __, optionalDependencies: ___, exports, ...rest }) {
  return { ...rest, exports: Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, built(file)])) }
}

/** `./core/index.ts` lies in `dist`, with its types beside it. */
function built(file) {
  if (!file.endsWith('.ts')) return file
  const path = `./dist/${file.slice(2, -3)}`
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

if (process.argv[2] === 'restore') renameSync(kept, manifest)
else {
  copyFileSync(manifest, kept)
  writeFileSync(manifest, `${JSON.stringify(published(JSON.parse(readFileSync(manifest, 'utf8'))), null, 2)}\n`)
}
