// Writes the pages that are generated: npm run docs. A test compares each with what stands in the folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../core/config/load.ts'
import { configReference, type PluginOptions } from '../core/config/reference.ts'
import type { PluginSpec } from '../core/plugin.ts'
import { type Running, start } from '../core/start.ts'
import { catalogue } from '../plugins/index.ts'
import { apiReference, entries } from './api.ts'
import { declarationReference } from './declarations.ts'
import { errorReference } from './errors.ts'
import { metricsReference } from './metrics.ts'
import { processorReference } from './processors.ts'
import { routeReference } from './routes.ts'
import { functionReference } from './vrl.ts'

/** File name in docs/ → its text. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-docs-'))
  const running = await startBoth(folder)
  try {
    return new Map([
      ['api.md', apiReference()],
      ['api-declarations.md', declarationReference(entries)],
      ['config.md', configReference(await pluginOptions())],
      ['errors.md', errorReference()],
      ['metrics.md', metricsReference(running)],
      ['processors.md', processorReference()],
      ['routes.md', routeReference(running)],
      ['vrl.md', functionReference()]
    ])
  } finally {
    await running.close()
    rmSync(folder, { recursive: true })
  }
}

async function pluginOptions(): Promise<PluginOptions[]> {
  const modules = await Promise.all(Object.values(catalogue).map(load => load()))
  return modules.map(module => module.default as PluginSpec).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Both servers with everything else as it is by default. */
function startBoth(folder: string): Promise<Running> {
  const overrides = {
    http: { addr: '127.0.0.1:0', api_server_addr: '127.0.0.1:0', enable_api_server: true },
    storage: { data_home: folder },
    logging: { append_stdout: false, max_log_files: 0 }
  }
  return start(loadConfig({ overrides }).config, catalogue)
}

if (import.meta.main) {
  for (const [name, text] of await generatedPages()) {
    writeFileSync(join(import.meta.dirname, name), text)
    console.log(`docs/${name}`)
  }
}
