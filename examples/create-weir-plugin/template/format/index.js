// Adds a result format: format=mine of /v1/sql, /v1/promql and /v1/logs answers with a table in Markdown.
import { definePlugin, jsonCells, Type } from 'weir-server'

export default definePlugin({
  name: 'mine',
  api: 1,
  prefix: '',
  servers: [],
  config: Type.Object({
    missing: Type.String({ default: '', description: 'What stands in a cell without a value.' })
  }),
  setup(core, { missing }) {
    core.formats.add('mine', {
      header: 'mine',
      contentType: 'text/markdown; charset=utf-8',
      several: true,
      async *encode(answers) {
        for (const answer of answers) {
          if (answer.kind === 'affected') yield `${answer.rows} rows affected\n\n`
          else yield* table(answer, missing)
        }
      }
    })
  }
})

/**
 * A piece of text for each batch: the next one is read when the client has taken it.
 * @param {import('weir-server').RecordsAnswer} answer
 * @param {string} missing
 */
async function* table({ columns, batches }, missing) {
  yield `${line(columns.map(({ name }) => name))}${line(columns.map(() => '---'))}`
  for await (const { rows, columns: vectors } of batches()) {
    // Each value as JSON: every digit of 64-bit integers, decimals and times as they are.
    const cells = columns.map(({ type }, i) =>
      jsonCells(type, /** @type {NonNullable<typeof vectors[0]>} */ (vectors[i]))
    )
    let text = ''
    for (let row = 0; row < rows; row++) text += line(cells.map(cell => shown(cell(row), missing)))
    yield text
  }
  yield '\n'
}

/** @param {string} json @param {string} missing */
function shown(json, missing) {
  if (json === 'null') return missing
  return json.startsWith('"') ? JSON.parse(json) : json
}

/** @param {readonly string[]} cells */
function line(cells) {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|').replace(/[\r\n]/g, ' ')).join(' | ')} |\n`
}
