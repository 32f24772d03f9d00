// Adds a kind of pipeline processor: `pseudonym` puts a keyed hash in the place of names, addresses and the like.
import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { cell, definePlugin } from 'weir-server'

export default definePlugin({
  name: 'pseudonym',
  prefix: '',
  servers: [],
  config: Type.Object({ secret: Type.String({ default: '', description: 'Key of the hashes.' }) }),
  needs: ['pipelines'],
  setup(_core, { secret }, { pipelines }) {
    pipelines.addProcessor(pseudonym(secret))
  }
})

/** The kind of processor: options are checked once, batches of items go through `apply`. */
export function pseudonym(secret) {
  return {
    kind: 'pseudonym',
    compile(options, path) {
      const length = Number(options.entries.get('length') ?? 16)
      if (!(length >= 4 && length <= 64)) throw options.error(`length must be 4 to 64, not ${length}`)
      const hash = text => createHmac('sha256', secret).update(text).digest('hex').slice(0, length)
      return {
        apply(batch) {
          for (const { from, to } of options.fields) {
            const source = batch.take(from)
            const target = batch.take(to)
            for (let row = 0; row < batch.rows; row++) {
              if (!batch.isLive(row)) continue
              if (source.kinds[row] === cell.string) batch.setText(target, row, hash(batch.text(source, row)))
              else if (!options.ignoreMissing) batch.fail(row, `Processor pseudonym: no text in ${from} (${path})`)
            }
          }
        }
      }
    }
  }
}
