// The processor itself: loaded in each thread that runs pipelines. Options are checked once, batches of items go through `apply`.
import { createHmac } from 'node:crypto'
import { cell, defineProcessor } from 'weir-server/processor'

export default defineProcessor((/** @type {{ secret: string }} */ { secret }) => ({
  kind: 'pseudonym',
  compile(options, path) {
    const length = Number(options.entries.get('length') ?? 16)
    if (!(length >= 4 && length <= 64)) throw options.error(`length must be 4 to 64, not ${length}`)
    const hash = (/** @type {string} */ text) =>
      createHmac('sha256', secret).update(text).digest('hex').slice(0, length)
    return {
      apply(batch) {
        for (const { from, to } of options.fields) {
          const source = batch.getOrCreateField(from)
          const target = batch.getOrCreateField(to)
          for (let row = 0; row < batch.rows; row++) {
            if (!batch.isLive(row)) continue
            if (source.kinds[row] === cell.string) batch.setText(target, row, hash(batch.text(source, row)))
            else if (!options.ignoreMissing) batch.fail(row, `Processor pseudonym: no text in ${from} (${path})`)
          }
        }
      }
    }
  }
}))
