import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootServer, pluginContract } from 'weir-server/testing'
import plugin from '../index.js'

test('what every plugin must do', async t => {
  await pluginContract(t, { plugin })
})

test('the dashboard knows the page', async () => {
  const server = await bootServer('', { plugins: [plugin] })
  try {
    const pages = (await server.main.inject('/dashboard/pages.json')).json()
    if (pages.error?.includes('build:dashboard')) return
    assert.ok(pages.some((/** @type {{ name: string }} */ { name }) => name === 'mine'))
    assert.match((await server.main.inject('/dashboard/pages/mine.js')).body, /export default function mount/)
  } finally {
    await server.discard()
  }
})
