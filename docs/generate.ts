// Writes the pages that are generated: npm run docs. A test compares each with what stands in the folder.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configReference } from '../core/config/reference.ts'
import { routeReference } from './routes.ts'

/** File name in docs/ → its text. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['config.md', configReference()],
    ['routes.md', await routeReference()]
  ])
}

if (import.meta.main) {
  for (const [name, text] of await generatedPages()) {
    writeFileSync(join(import.meta.dirname, name), text)
    console.log(`docs/${name}`)
  }
}
