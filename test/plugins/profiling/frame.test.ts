import t from 'tap'
import { createFrameNamer } from '../../../plugins/profiling/frame.ts'
import { describeFrame } from '../../../plugins/profiling/profile.ts'

const call = (functionName: string, url: string, lineNumber = 4) => ({ functionName, url, lineNumber, columnNumber: 0 })
const modules = new Map([
  ['@acme/weir-syslog', 'syslog'],
  ['./mine.ts', 'mine']
])
const nameFrame = createFrameNamer({ root: '/srv/weir/', modules })

t.test('a function is named by its place in the package, in a package of others, or in the runtime', async t => {
  const found = [
    call('write', 'file:///srv/weir/core/storage/store.ts'),
    call('', 'file:///srv/weir/plugins/ingest/routes.ts'),
    call('next', '/srv/weir/node_modules/fastify/lib/hooks.js'),
    call('run', 'file:///elsewhere/node_modules/@acme/weir-syslog/index.js'),
    call('run', 'file:///srv/home/mine.ts'),
    call('emit', 'node:events'),
    call('push', '', -1),
    call('(garbage collector)', '', -1),
    call('toString', 'file:///srv/weir/core/errors.ts'),
    call('f', 'wasm://wasm/0a'),
    call('f', 'file://host/a.ts')
  ].map(nameFrame)
  t.strictSame(
    found.map(frame => [describeFrame(frame), frame.owner, frame.kind]),
    [
      ['write core/storage/store.ts:5', 'core', 'core'],
      ['(anonymous) plugins/ingest/routes.ts:5', 'ingest', 'plugin'],
      ['next fastify/lib/hooks.js:5', 'fastify', 'package'],
      ['run @acme/weir-syslog/index.js:5', 'syslog', 'plugin'],
      ['run /srv/home/mine.ts:5', 'mine', 'plugin'],
      ['emit node:events:5', 'node', 'node'],
      ['push', 'native', 'native'],
      ['[native] gc', 'gc', 'native'],
      ['toString core/errors.ts:5', 'core', 'core'],
      ['f wasm://wasm/0a:5', 'native', 'native'],
      ['f file://host/a.ts:5', 'native', 'native']
    ]
  )
})

t.test('equal frames are one object', async t => {
  const again = call('write', 'file:///srv/weir/core/storage/store.ts')
  t.equal(nameFrame(again), nameFrame({ ...again }))
  t.equal(nameFrame(again), nameFrame({ ...again, columnNumber: 9 }))
})
