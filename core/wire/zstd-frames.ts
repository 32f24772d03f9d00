// Where the frames of a zstd stream begin and end (RFC 8878, section 3), read from their headers alone.
import { DbError } from '../errors.ts'

interface ZstdFrame {
  readonly start: number
  readonly end: number
}

const frameMagic = 0xfd2fb528
/** Sixteen magic numbers, of which the last four bits are free. */
const skippableMagic = 0x184d2a50
const dictionaryIdSizes = [0, 1, 2, 4] as const
const contentSizeSizes = [0, 2, 4, 8] as const
const checksumSize = 4
const blockHeaderSize = 3
const blockType = { runLength: 1, reserved: 3 } as const

/**
 * The frames that hold content, one after the other; skippable ones are left out. Throws DbError `InvalidArguments` with the offset of a
 * incomplete frame, or of bytes that are no frame.
 */
export function* zstdFrames(bytes: Uint8Array): Generator<ZstdFrame> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = 0; start < bytes.length; ) {
    if (bytes.length - start < 4) throw damaged(`the ${bytes.length - start} bytes at offset ${start} are no frame`)
    const magic = view.getUint32(start, true)
    if ((magic & 0xfffffff0) === skippableMagic) {
      if (bytes.length - start < 8) throw cut(start)
      start += 8 + view.getUint32(start + 4, true)
      if (start > bytes.length) throw damaged('it ends inside a skippable frame')
      continue
    }
    if (magic !== frameMagic) throw damaged(`the bytes at offset ${start} are no frame`)
    const end = frameEnd(bytes, start)
    yield { start, end }
    start = end
  }
}

function frameEnd(bytes: Uint8Array, start: number): number {
  let at = start + 4
  const descriptor = bytes[at++]
  if (descriptor === undefined) throw cut(start)
  const isSingleSegment = (descriptor & 32) !== 0
  const contentSizeFlag = descriptor >> 6
  at += (isSingleSegment ? 0 : 1) + dictionaryIdSizes[(descriptor & 3) as 0 | 1 | 2 | 3]
  at += contentSizeFlag === 0 && isSingleSegment ? 1 : contentSizeSizes[contentSizeFlag as 0 | 1 | 2 | 3]
  for (let isLast = false; !isLast; ) {
    if (at + blockHeaderSize > bytes.length) throw cut(start)
    const header = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
    const type = (header >> 1) & 3
    if (type === blockType.reserved) throw damaged(`the block at offset ${at} has the reserved type`)
    isLast = (header & 1) !== 0
    at += blockHeaderSize + (type === blockType.runLength ? 1 : header >> 3)
  }
  if ((descriptor & 4) !== 0) at += checksumSize
  if (at > bytes.length) throw cut(start)
  return at
}

function cut(start: number): DbError {
  return damaged(`it ends inside the frame at offset ${start}`)
}

function damaged(reason: string): DbError {
  return new DbError('InvalidArguments', reason)
}
