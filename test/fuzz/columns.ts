// The invariants of every decoder's columns.
import { isUtf8 } from 'node:buffer'
import { type BytesData, type Column, isValid } from '../../core/index.ts'

/** Throws for columns that have another number of rows, bytes that are not text, or invalid JSON. */
export function checkColumns(columns: readonly Column[], rows: number): void {
  for (const { name, type, data } of columns) {
    const length =
      data.kind === 'fixed' ? data.values.length : data.kind === 'bytes' ? data.offsets.length - 1 : data.codes.length
    if (length !== rows) throw new Error(`column ${name} has ${length} rows, not ${rows}`)
    if (data.kind === 'fixed' || type === 'Binary') continue
    if (data.kind === 'bytes') checkTexts(name, data, type === 'Json')
    else {
      checkTexts(name, data.dictionary, false)
      const entries = data.dictionary.offsets.length - 1
      if (data.codes.some((code, row) => code >= entries && isValid(data.valid, row)))
        throw new Error(`column ${name} has a code beyond its dictionary`)
    }
  }
}

function checkTexts(name: string, { offsets, bytes, valid }: BytesData, isJson: boolean): void {
  for (let i = 0; i + 1 < offsets.length; i++) {
    const text = bytes.subarray(offsets[i], offsets[i + 1])
    if (offsets[i + 1]! < offsets[i]! || !isUtf8(text)) throw new Error(`row ${i} of column ${name} is not text`)
    if (isJson && isValid(valid, i)) JSON.parse(Buffer.from(text).toString())
  }
}
