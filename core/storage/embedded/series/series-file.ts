// The series of a table in a backup file: for each a number (u32), a length (u32) and the key; numbers ascend.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { DbError } from '../../../errors.ts'
import type { SeriesEntry } from '../log/record.ts'

/** Series written per turn of the event loop. */
const batch = 5_000

/** `series(from)` returns series with numbers of at least `from`, ascending. Undefined if there are none. */
export async function writeSeriesFile(
  path: string,
  series: (from: number) => Iterable<SeriesEntry>
): Promise<{ readonly bytes: number; readonly checksum: number } | undefined> {
  const file = await open(path, 'w')
  let bytes = 0
  let checksum = 0
  try {
    for (let from = 0, more = true; more; ) {
      const buffers: Uint8Array[] = []
      more = false
      for (const { tsid, key } of series(from)) {
        buffers.push(Uint8Array.from(new Uint8Array(Uint32Array.of(tsid, key.length).buffer)), key)
        from = tsid + 1
        if (buffers.length < 2 * batch) continue
        more = true
        break
      }
      const chunk = Buffer.concat(buffers)
      await file.write(chunk)
      bytes += chunk.length
      checksum = crc32(chunk, checksum)
    }
  } finally {
    await file.close()
  }
  return bytes === 0 ? undefined : { bytes, checksum }
}

/** Reads the file. Throws DbError if it ends within a series. */
export async function* readSeriesFile(path: string): AsyncGenerator<SeriesEntry> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer)
    let at = 0
    while (bytes.length - at >= 8 && bytes.length - at - 8 >= bytes.readUInt32LE(at + 4)) {
      const end = at + 8 + bytes.readUInt32LE(at + 4)
      yield { tsid: bytes.readUInt32LE(at), key: bytes.subarray(at + 8, end) }
      at = end
    }
    rest = bytes.subarray(at)
  }
  if (rest.length > 0) throw new DbError('InvalidArguments', `${path} ends inside a series`)
}
