// `mine` hides all but the last characters of a text. Loaded in each thread that runs pipelines.
import { cell, defineProcessor } from 'weir-server/processor'

export default defineProcessor((/** @type {{ character: string }} */ { character }) => ({
  kind: 'mine',
  // Once for each pipeline that names it.
  compile(options, path) {
    const keep = Number(options.entries.get('keep') ?? 2)
    if (!Number.isInteger(keep) || keep < 0) throw options.error(`keep must be a whole number, not ${keep}`)
    return {
      // For each batch of items; never throws for what is in one.
      apply(batch) {
        for (const { from, to } of options.fields) {
          const source = batch.getOrCreateField(from)
          const target = batch.getOrCreateField(to)
          for (let row = 0; row < batch.rows; row++) {
            if (!batch.isLive(row)) continue
            if (source.kinds[row] === cell.string)
              batch.setText(target, row, hide(batch.text(source, row), keep, character))
            else if (!options.ignoreMissing) batch.fail(row, `Processor mine: no text in ${from} (${path})`)
          }
        }
      }
    }
  }
}))

/**
 * @param {string} text
 * @param {number} keep
 * @param {string} character
 */
export function hide(text, keep, character) {
  const characters = [...text]
  return characters.map((each, i) => (i < characters.length - keep ? character : each)).join('')
}
