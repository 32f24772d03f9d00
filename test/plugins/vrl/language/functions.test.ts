// Runs the examples of every function, as the documentation shows them.
import t from 'tap'
import {
  compile,
  type Example,
  printDiagnostics,
  readJsonValue,
  standardLibrary,
  writeValue
} from '../../../../plugins/vrl/language/index.ts'

for (const { name, examples, refused, run, prepare } of standardLibrary.values())
  t.test(`${name} does what its examples say`, async t => {
    if (refused !== undefined) {
      t.match(outcome({ title: '', source: `${name}()` }), /^error\[E105\]/)
      return
    }
    t.equal([run, prepare].filter(Boolean).length, 1, 'it has either run or prepare')
    t.ok(examples.length > 0, 'it has an example')
    for (const example of examples) {
      const found = outcome(example)
      if (example.raises !== undefined) t.match(found, example.raises, example.title)
      else t.equal(found, example.result, example.title)
    }
  })

function outcome({ source, event = '{}' }: Example): string {
  const { program, diagnostics } = compile(source)
  if (program === undefined) return printDiagnostics(source, diagnostics)
  const result = program.run(readJsonValue(event))
  return result.ok ? writeValue(result.value) : result.message
}
