import { definePlugin, jsonCells, Type } from 'weir-server'

export default definePlugin({
  name: 'mine',
  prefix: '',
  servers: [],
  config: Type.Object({}),
  setup(core) {
    core.formats.add('lines', {
      header: 'lines', // x-svc-format of the answer
      contentType: 'text/plain; charset=utf-8',
      several: false, // whether one body holds the answers of several statements
      async *encode([answer]) {
        if (answer?.kind !== 'records') return
        for await (const { rows, columns } of answer.batches()) {
          const cells = columns.map((vector, i) => jsonCells(answer.columns[i]?.type ?? 'Null', vector))
          let text = ''
          for (let row = 0; row < rows; row++) text += `${cells.map(cell => cell(row)).join(' ')}\n`
          // The next batch is read when the client has taken this.
          yield text
        }
      }
    })
  }
})
