// The series of a table in a backup file: for each a number (u32), a length (u32) and the key; numbers ascend.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { DbError } from '../../../errors.ts'
import type { SeriesEntry } from '../log/record.ts'

/** Series written per turn of the event loop. */
const batch = 5_000

/** `series(from, max)` returns up to `max` series with numbers of at least `from`, ascending. Undefined if there are none. */
export async function writeSeriesFile(
  path: string,
  series: (from: number, max: number) => readonly SeriesEntry[]
): Promise<{ readonly bytes: number; readonly checksum: number } | undefined> {
  const file = await open(path, 'w')
  let bytes = 0
  let checksum = 0
  try {
    for (let some = series(0, batch); some.length > 0; some = series(some.at(-1)!.tsid + 1, batch)) {
      const heads = some.map(({ tsid, key }) => new Uint8Array(Uint32Array.of(tsid, key.length).buffer))
      const chunk = Buffer.concat(some.flatMap(({ key }, i) => [heads[i]!, key]))
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
