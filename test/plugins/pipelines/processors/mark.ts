// A processor kind of another plugin, for tests: writes the text of its settings into its fields, or into `marked`.
import { defineProcessor } from '../../../../plugins/processor.ts'

export default defineProcessor((mark: string, host) => ({
  kind: 'mark',
  compile: options => ({
    apply(batch) {
      const names = options.fields.length === 0 ? ['marked'] : options.fields.map(({ to }) => to)
      for (const name of names) {
        const field = batch.getOrCreateField(name)
        for (let row = 0; row < batch.rows; row++) if (batch.isLive(row)) batch.set(field, row, mark)
      }
      host.send({ rows: batch.rows })
    }
  })
}))
