// Protocol Buffers: refused, because types come from files on the server's disk.
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'

export const protoCodecs: readonly FunctionSpec[] = [
  {
    name: 'encode_proto',
    summary: 'Not available.',
    params: [],
    returns: kinds.string,
    refused: "it reads a file of types, and programs of pipelines do not see the server's files",
    examples: []
  }
]
