// Random programs: the compiler answers with a program or with a code and position, a run with a value or a message.
import t from 'tap'
import { compile, position, readJsonValue } from '../../../../plugins/vrl/language/index.ts'
import { processorTime } from '../../../time.ts'
import { generateProgram, randomFrom } from './generate.ts'

const count = Number(process.env.VRL_FUZZ ?? 3000)
const seed = Number(process.env.VRL_SEED ?? 1)

t.test(`${count} random programs neither crash the compiler nor a run`, async t => {
  const random = randomFrom(seed)
  let ran = 0
  for (let i = 0; i < count; i++) {
    const source = generateProgram(random)
    try {
      if (runs(source)) ran++
    } catch (error) {
      t.fail(`program ${i} of seed ${seed}`, { source, error: error instanceof Error ? error.stack : error })
      return
    }
  }
  t.ok(ran > count / 100, `${ran} of them compile`)
})

function runs(source: string): boolean {
  const started = processorTime()
  const { program, diagnostics } = compile(source, { limits: { time: 100 } })
  for (const { code, span } of diagnostics) {
    const { line, column } = position(source, span.start)
    if (!(code >= 100 && code < 1000 && line > 0 && column > 0)) throw new Error(`a diagnostic without place: ${code}`)
  }
  if (program === undefined && diagnostics.length === 0) throw new Error('refused without a reason')
  program?.run(readJsonValue('{"a":[1,{"b":"text"}],"b":{"c":2.5},"q r":null}'))
  if (processorTime() - started > 5000) throw new Error('it took longer than 5 s')
  return program !== undefined
}
