// Goes through the fields of one number in a message.
import type { ProtoReader } from '../../../core/index.ts'

/** Goes to the next such field, past all others; false at the end of the message. */
export function findField(reader: ProtoReader, number: number): boolean {
  while (reader.next()) {
    if (reader.field === number) return true
    reader.skip()
  }
  return false
}
