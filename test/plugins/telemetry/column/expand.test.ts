import t from 'tap'
import { isValid } from '../../../../core/index.ts'
import { expanded } from '../../../../plugins/telemetry/column/expand.ts'

t.test('owners without a text are rows without one, and the dictionary itself has no nulls', async t => {
  const owners = {
    kind: 'bytes',
    offsets: Uint32Array.of(0, 1, 1, 3),
    bytes: Buffer.from('abc'),
    valid: Uint8Array.of(0b101)
  } as const
  const data = expanded(owners, Uint32Array.of(2, 1, 0, 2))
  if (data.kind !== 'dictionary') throw new Error(`it is ${data.kind}`)
  t.same([...data.codes], [2, 1, 0, 2])
  t.same(
    [0, 1, 2, 3].map(row => isValid(data.valid, row)),
    [true, false, true, true]
  )
  t.equal(data.dictionary.valid, undefined)
})
