import type { ProtoReader } from '../../../core/wire/index.ts'
// Finds the fields of one number in a message.

/** Moves the reader to the next such field; false at the end of the message. */
export function findField(reader: ProtoReader, number: number): boolean {
  while (reader.next()) {
    if (reader.field === number) return true
    reader.skip()
  }
  return false
}
