// The kinds of processors that come with the server.
import type { ProcessorDefinition } from '../../services.ts'
import { date } from './date.ts'
import { dissect } from './dissect.ts'
import { epoch } from './epoch.ts'
import { regex } from './regex.ts'

export const builtInKinds: readonly ProcessorDefinition[] = [date, dissect, epoch, regex]
