// Messages between the main thread and pipeline threads.

import type { MessagePort } from 'node:worker_threads'
import type { DecodeOptions, Limit } from '../../../core/compute.ts'
import type { PlainError } from '../../../core/wire/index.ts'
import type { PipelineResult, PipelineRunOptions } from '../../services.ts'
import type { DryRunRequest } from '../dryrun/dryrun.ts'
import type { ModuleNote } from '../kinds.ts'
import type { DocumentWarning } from '../pipeline.ts'
import type { RunContext, RunLimits } from '../runner.ts'
import type { PackedItems } from './items.ts'

/** Data that a thread is started with. */
export interface ThreadOptions {
  readonly pathValues: number
  readonly textLength: number
  /** Processors that plugins added. */
  readonly modules: readonly ModuleNote[]
  /** Memory that the thread waits on until its question is answered. */
  readonly answered: Int32Array<SharedArrayBuffer>
  /** Carries questions and their answers. */
  readonly questions: MessagePort
}

export type Work =
  | {
      readonly kind: 'run'
      readonly name: string
      readonly options: PipelineRunOptions
      /** Decoded items, or a body to decode. */
      readonly input:
        | { readonly items: PackedItems }
        | {
            readonly body: Uint8Array
            readonly contentType: string
            readonly decoding: Omit<DecodeOptions, 'mappingOf'>
          }
    }
  | { readonly kind: 'dryrun'; readonly request: Omit<DryRunRequest, 'body'> & { readonly body: Uint8Array } }
  | { readonly kind: 'check'; readonly yaml: string; readonly strict: boolean }
  | { readonly kind: 'missing'; readonly yaml: string }
  | { readonly kind: 'ddl'; readonly name: string; readonly version: string | undefined; readonly table: string }

interface RunDone {
  readonly result: PipelineResult
  /** Items, and how many of them could not be decoded. */
  readonly items: number
  readonly undecoded: number
}

/** The result of each kind of task. */
export interface Results {
  readonly run: RunDone
  /** The text of the answer. */
  readonly dryrun: string
  readonly check: readonly DocumentWarning[]
  /** Kinds of processors that are not known. */
  readonly missing: readonly string[]
  readonly ddl: { readonly sql: string; readonly moves: boolean }
}

export interface Task {
  readonly id: number
  readonly work: Work
  readonly ctx: RunContext
  readonly limits: RunLimits
  /** Of a table. */
  readonly columns: Limit
  /** Values the texts that `json_parse` reads may have. */
  readonly maxValues: number
}

export type Question =
  | { readonly kind: 'find'; readonly name: string; readonly version: string | undefined }
  | { readonly kind: 'table'; readonly database: string; readonly name: string }

export type Reply = { readonly value: unknown } | { readonly error: PlainError }

export type Message =
  /** `worked`: milliseconds that the start of the thread took, which is nobody's work. */
  | { readonly kind: 'ready'; readonly worked: number }
  /** A message of a processor to its plugin. */
  | { readonly kind: 'sent'; readonly module: number; readonly message: unknown }
  | {
      readonly kind: 'done'
      readonly id: number
      /** Milliseconds the thread has worked since it started. */
      readonly worked: number
      readonly outcome: Outcome
    }

export type Outcome = { readonly value: unknown } | { readonly error: PlainError }
