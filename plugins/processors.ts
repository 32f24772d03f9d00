// Every kind of processor that comes with the server, under the default limits: for the reference page, `weir pipeline check` and tests.
import { builtInKinds } from './pipelines/processor/index.ts'
import { variableNames } from './pipelines/run/variables.ts'
import type { ProcessorDefinition } from './services.ts'
import { defaultLimits } from './vrl/limits.ts'
import createVrl from './vrl/processor.ts'

const vrl = createVrl(defaultLimits, { variables: variableNames, send: () => undefined })

export const processors: readonly ProcessorDefinition[] = [...builtInKinds, vrl]
