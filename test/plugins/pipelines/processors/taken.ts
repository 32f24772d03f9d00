// A processor with the name of a built-in kind.
import { defineProcessor } from '../../../../plugins/processor.ts'

export default defineProcessor(() => ({ kind: 'date', compile: () => ({ apply() {} }) }))
