// Columns of text: texts are copied from the batch's bytes, other values are formatted.
import { type BytesData, cell, copyTexts } from '../../../core/compute.ts'
import { kindName } from '../cell/input.ts'
import { cellText } from '../cell/text.ts'
import type { TransformColumn } from '../pipeline.ts'
import { createGaps, type Filler, type Gaps, type Source } from './gap.ts'

export function textData(source: Source, column: TransformColumn): BytesData {
  const { field, rows } = source
  const gaps = createGaps(source, column)
  const offsets = new Uint32Array(rows.length + 1)
  let written: Map<number, Uint8Array> | undefined
  let length = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const kind = field === undefined ? cell.absent : field.kinds[row]!
    if (kind === cell.string) length += field!.words[row * 2 + 1]! - field!.words[row * 2]!
    else {
      const text = otherText(source, gaps, i, kind)
      if (text !== undefined) {
        const bytes = Buffer.from(String(text))
        written ??= new Map()
        written.set(i, bytes)
        length += bytes.length
      }
    }
    offsets[i + 1] = length
  }
  // Not zeroed: every byte is written below.
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  if (field !== undefined) copyTexts(source.batch, field, rows, offsets, bytes)
  if (written !== undefined) for (const [i, text] of written) bytes.set(text, offsets[i]!)
  const valid = gaps.valid()
  return { kind: 'bytes', offsets, bytes, ...(valid && { valid }) }
}

function otherText({ batch, field, rows }: Source, gaps: Gaps, i: number, kind: number): Filler | undefined {
  if (kind === cell.absent) return gaps.missing(i)
  if (kind === cell.null) return gaps.nothing(i)
  if (kind === cell.timestamp || kind === cell.object) return gaps.refuse(i, `cannot convert ${kindName(kind)}`)
  return cellText(batch, field!, rows[i]!)
}
