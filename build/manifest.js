// Around `npm pack`: `prepack` turns package.json into the published one, `postpack` turns it back.
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manifest = fileURLToPath(new URL('../package.json', import.meta.url))
const kept = `${manifest}.kept`

/** The built files instead of the sources; no Node of its own, no scripts that only make sense in the repository. */
function published({ scripts: _, devDependencies: __, optionalDependencies: ___, ...rest }) {
  return {
    ...rest,
    exports: {
      '.': { types: './dist/core/index.d.ts', default: './dist/core/index.js' },
      './testing': { types: './dist/test/contract/index.d.ts', default: './dist/test/contract/index.js' },
      './package.json': './package.json'
    }
  }
}

if (process.argv[2] === 'restore') renameSync(kept, manifest)
else {
  copyFileSync(manifest, kept)
  writeFileSync(manifest, `${JSON.stringify(published(JSON.parse(readFileSync(manifest, 'utf8'))), null, 2)}\n`)
}
