// What the module of a processor imports: it is loaded in threads, so nothing of the server comes with it.
import type { ProcessorFactory } from './services.ts'

export { cell } from '../core/compute.ts'
export type { Processor, ProcessorDefinition, ProcessorHost, ProcessorOptions } from './services.ts'

/** Gives a factory its types; the default export of the module that `addProcessor` names. */
export function defineProcessor<Settings>(create: ProcessorFactory<Settings>): ProcessorFactory<Settings> {
  return create
}
