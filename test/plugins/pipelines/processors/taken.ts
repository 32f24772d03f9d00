// A processor whose kind comes with the server already.
import { defineProcessor } from '../../../../plugins/processor.ts'

export default defineProcessor(() => ({ kind: 'date', compile: () => ({ apply() {} }) }))
