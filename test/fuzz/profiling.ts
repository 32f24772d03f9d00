// Heap dumps of all three formats, damaged and truncated: each is accepted or refused, and accepted ones can be drawn.
import { isDbError } from '../../core/index.ts'
import { createFrameNamer } from '../../plugins/profiling/frame.ts'
import { drawFlameGraph } from '../../plugins/profiling/output/flame-graph.ts'
import { writePprof } from '../../plugins/profiling/output/pprof.ts'
import { readDump } from '../../plugins/profiling/symbol/read.ts'
import { bendBytes, jsonPieces } from './bend.ts'
import type { Random } from './random.ts'
import { type Attempt, fuzzReading } from './reading.ts'

const call = (functionName: string, url: string) => ({ functionName, url, lineNumber: 3, columnNumber: 1 })
const heapProfile = {
  head: {
    callFrame: call('(root)', ''),
    selfSize: 0,
    children: [
      { callFrame: call('keep', 'file:///w/core/a.ts'), selfSize: 4096, children: [] },
      {
        callFrame: call('toString', 'node:buffer'),
        selfSize: 512,
        children: [{ callFrame: call('', 'file:///w/plugins/sql/b.ts'), selfSize: 64, children: [] }]
      }
    ]
  }
}
const snapshot = {
  snapshot: {
    meta: {
      node_fields: ['type', 'name', 'self_size', 'edge_count'],
      node_types: [['object', 'string'], 'string', 'number', 'number'],
      edge_fields: ['type', 'name_or_index', 'to_node'],
      edge_types: [['property', 'weak'], 'string_or_number', 'node']
    }
  },
  nodes: [0, 0, 8, 2, 0, 1, 16, 1, 1, 2, 24, 0],
  edges: [0, 0, 4, 1, 0, 8, 0, 1, 8],
  strings: ['', 'Keeper', 'kept']
}
const largest = 1 << 20

const nameFrame = createFrameNamer({ root: '/w/', modules: new Map() })
const profile = Buffer.from(JSON.stringify(heapProfile))
const pprof = writePprof(readDump(profile, largest, nameFrame).profile)
const dumps = [profile, Buffer.from(JSON.stringify(snapshot)), pprof]

function attempt(random: Random): Attempt {
  const kind = random.pick(dumps)
  const body = bendBytes(random, kind, kind === pprof ? undefined : jsonPieces)
  return {
    input: () => Buffer.from(body).toString(kind === pprof ? 'base64' : 'utf8'),
    read() {
      const svg = drawFlameGraph(readDump(body, largest, nameFrame).profile, 'bent')
      const picture = svg.replace(/<script[\s\S]*<\/script>/, '')
      if (/NaN|Infinity|undefined/.test(picture)) throw new Error('a number of the picture is none')
    }
  }
}

export const fuzz = fuzzReading(attempt, isDbError)
