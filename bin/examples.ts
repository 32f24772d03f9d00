// Where the example data lies: the same folder of the package, whether this runs from source or built into dist.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const candidates = ['../examples/data', '../../examples/data'].map(path =>
  fileURLToPath(new URL(path, import.meta.url))
)

export const exampleFolder = candidates.find(path => existsSync(path)) ?? candidates[0]!
