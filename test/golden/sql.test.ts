// Every file below test/golden/sql is a test: statements and what they must answer.
import { basename } from 'node:path'
import t from 'tap'
import { goldenFiles, runFiles } from './run.ts'

await runFiles(goldenFiles(), (file, results) =>
  t.test(basename(file), async t => {
    for (const { golden, actual, passed } of results) {
      const place = `${basename(file)}:${golden.line}`
      if (passed) t.pass(place)
      else {
        const expected = golden.expected ?? ['(nothing yet: npm run golden -- --update)']
        t.fail(`${place}\n${golden.sql}`, {
          expected: expected.join('\n'),
          actual: actual.join('\n'),
          stack: '',
          at: null
        })
      }
    }
  })
)
