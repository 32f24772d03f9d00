// Builds the dashboard into files that the plugin serves.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  build: {
    outDir: fileURLToPath(new URL('../assets', import.meta.url)),
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { checks: { pluginTimings: false } }
  },
  plugins: [processors(), compressed()]
})

/** Kinds of processors with their summaries, for completion in the editor. */
function processors(): Plugin {
  const name = 'virtual:processors'
  return {
    name: 'processors',
    resolveId: id => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined
      const { processors: kinds } = await import('../../processors.ts')
      return `export default ${JSON.stringify(kinds.map(({ kind, doc }) => ({ kind, ...doc })))}`
    }
  }
}

/** Each file a second and third time, packed, so that the server does not do it again and again. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter(each => /\.(js|css|html|svg)$/.test(each))) {
        const source = readFileSync(`${dir}/${name}`)
        writeFileSync(`${dir}/${name}.br`, brotliCompressSync(source))
        writeFileSync(`${dir}/${name}.gz`, gzipSync(source, { level: 9 }))
      }
    }
  }
}
