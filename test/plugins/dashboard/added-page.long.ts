import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../helpers.ts'
import { needing } from '../../programs.ts'
import { look, openSite, shows } from './browser.ts'

const plugin = `import { definePlugin } from 'weir-server'
export default definePlugin({
  name: 'mine', prefix: '/v1/mine', servers: ['main'], config: { type: 'object', properties: {} }, uses: ['dashboard'],
  setup(core, config, { dashboard }) {
    dashboard?.addPage({ name: 'mine', title: 'My page', module: new URL('./page.js', import.meta.url) })
    dashboard?.addPage({ name: 'broken', title: 'A broken page', module: new URL('./broken.js', import.meta.url) })
  },
  routes: app => app.get('', async ({ ctx }) => ({ db: ctx.db }))
})
`

const page = `export default (element, host) => {
  const text = document.createElement('p')
  const button = document.createElement('button')
  button.textContent = 'Ask'
  button.onclick = async () => {
    host.change({ asked: 'yes' })
    const { db } = await (await host.request('/v1/mine')).json()
    text.append(' of ' + db)
    await host.request('/v1/none').catch(error => text.append(', ' + error.message))
  }
  const end = host.follow(parameters => text.replaceChildren('asked: ' + parameters.get('asked')))
  const rounds = document.createElement('p')
  let count = 0
  host.onRefresh(() => rounds.replaceChildren('loaded anew: ' + ++count))
  element.append(button, text, rounds)
  return () => { document.title = 'ended'; end() }
}
`

t.test('the page of a plugin from elsewhere', needing('chromium'), async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'index.js'), plugin)
  writeFileSync(join(folder, 'page.js'), page)
  writeFileSync(join(folder, 'broken.js'), 'export default () => { throw new Error("it does not work") }')
  const site = await openSite(t, { toml: `[plugins.mine]\nmodule = ${JSON.stringify(join(folder, 'index.js'))}\n` })

  const tab = await site.open('query')
  await tab.getByRole('link', { name: 'My page' }).click()
  await tab.getByText('asked: null').waitFor()
  await tab.getByRole('button', { name: 'Ask' }).click()
  await tab.getByText(/^asked: yes of public, /).waitFor()
  await shows(t).match(() => tab.url(), /\/dashboard\/x\/mine\?asked=yes$/)
  await shows(t).equal(() => tab.title(), 'My page · Weir')
  await tab.getByRole('button', { name: 'Refresh' }).click()
  await tab.getByText('loaded anew: 1').waitFor()
  await tab.getByLabel('Refresh every').selectOption('5s')
  await tab.getByText('loaded anew: 2').waitFor()
  await tab.getByLabel('Refresh every').selectOption('off')
  await look(t, tab, 'added-page')
  await tab.goBack()
  await tab.getByText('asked: null').waitFor()
  await tab.getByRole('link', { name: 'A broken page' }).click()
  await tab.getByRole('alert').getByText('it does not work').waitFor()
  const linked = await site.open('x/mine?asked=linked')
  await linked.getByText('asked: linked').waitFor()
  const none = await site.open('x/none')
  await none.getByText('There is no page here.').waitFor()
})
