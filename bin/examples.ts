// Where the example data lies.
import { fileURLToPath } from 'node:url'

export const exampleFolder = fileURLToPath(new URL('../examples/data', import.meta.url))
