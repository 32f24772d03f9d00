import t from 'tap'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, shows, write } from './browser.ts'

const access = `processors:
  - dissect:
      fields: [message]
      patterns: ['%{host} "%{method} %{path}" %{status}']
  - filter:
      field: method
      mode: simple
      targets: [HEAD]
transform:
  - fields: [host, path]
    type: string
  - field: status
    type: int32
    index: tag
`

async function store(url: string, name: string, yaml: string): Promise<void> {
  const headers = { 'content-type': 'application/x-yaml' }
  const response = await fetch(`${url}/v1/pipelines/${name}`, { method: 'POST', headers, body: yaml })
  if (!response.ok) throw new Error(await response.text())
}

t.test('the page of pipelines', needing('chromium'), async t => {
  const site = await openSite(t, {
    async fill(url) {
      await store(url, 'access', access)
      await store(url, 'access', access.replace('int32', 'int16'))
      await store(url, 'other', access)
    }
  })

  await t.test('shows versions, their difference and the table', async t => {
    const page = await site.open('pipelines')
    await page.getByRole('button', { name: 'access 2' }).click()
    await page.locator('.cm-content').getByText('int16').waitFor()
    await shows(t).equal(
      () => page.getByRole('combobox', { name: 'Version', exact: true }).locator('option').count(),
      2
    )
    await page.getByText('Changes', { exact: false }).click()
    const old = await page
      .getByRole('combobox', { name: 'Version', exact: true })
      .locator('option')
      .nth(1)
      .textContent()
    await page.getByLabel('Compared with').selectOption(old!)
    await page.locator('.diff .removed').waitFor()
    await shows(t).match(() => page.locator('.diff .removed').textContent(), 'int32')
    await shows(t).match(() => page.locator('.diff .added').textContent(), 'int16')
    await look(t, page, 'pipelines')
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByText('CREATE TABLE').waitFor()
    await shows(t).match(() => page.getByRole('complementary').textContent(), 'SMALLINT')
  })

  await t.test(
    'versions that others store come by themselves, and take away nothing that is being written',
    async t => {
      await store(site.url, 'shared', access)
      const page = await site.open('pipelines?name=shared&refresh=5s')
      const versions = page.getByRole('combobox', { name: 'Version', exact: true }).locator('option')
      await page.locator('.cm-content').getByText('int32').waitFor()
      await shows(t).equal(() => versions.count(), 1)
      await store(site.url, 'shared', access.replace('int32', 'int64'))
      await shows(t).equal(() => versions.count(), 2)
      await page.locator('.cm-content').getByText('int64').waitFor()
      await write(page, 'Pipeline', access.replace('int32', 'uint8'))
      await page.getByText('Not stored yet').waitFor()
      await store(site.url, 'shared', access.replace('int32', 'uint16'))
      await shows(t).equal(() => versions.count(), 3)
      await page.waitForLoadState('networkidle')
      await shows(t).match(() => page.locator('.cm-content').textContent(), 'uint8')
    }
  )

  await t.test('tries lines and shows what each processor made of them', async t => {
    const page = await site.open('pipelines?name=access')
    await page.locator('.cm-content').getByText('int16').waitFor()
    await page.getByLabel('Lines to try').fill('h1 "GET /cart" 200\nh2 "HEAD /" 204\nnothing')
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('Step by step').waitFor()
    await page.getByText('Item 1').click()
    await page.getByText('"path": "/cart"').first().waitFor()
    await page.getByText('Item 2').click()
    await page.getByText('taken out').waitFor()
    await shows(t).match(() => page.getByRole('alert').textContent(), /dissect/)
    await shows(t).match(() => page.getByLabel('Rows of dry_run').first().textContent(), /INT16/)
    await shows(t).match(
      () => page.locator('.grid tbody tr').first().textContent(),
      new RegExp(`${new Date().toISOString().slice(0, 10)} \\d\\d:`),
      'times are written as times'
    )
    await page.getByText('Step by step').scrollIntoViewIfNeeded()
    await look(t, page, 'pipelines-dry-run')
    const dark = await site.open('pipelines?name=access', { dark: true, viewport: narrow })
    await dark.locator('.cm-content').getByText('int16').waitFor()
    await look(t, dark, 'pipelines-narrow-dark')
  })

  await t.test('stores a new one, refuses a wrong one with its place, removes a version', async t => {
    const page = await site.open('pipelines')
    await page.getByLabel('Name', { exact: true }).fill('fresh')
    await write(page, 'Pipeline', 'processors:\n  - dissekt:\n      field: x\n')
    await page.getByRole('button', { name: 'Store' }).click()
    await shows(t).match(() => page.getByRole('alert').textContent(), /did you mean dissect/)
    await write(page, 'Pipeline', access)
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('button', { name: 'fresh 1' }).waitFor()
    await page.getByRole('button', { name: 'Remove this version' }).click()
    await look(t, page, 'pipelines-remove')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await shows(t).equal(
      () => page.getByRole('button', { name: 'fresh 1' }).count(),
      1,
      'nothing goes without a second click'
    )
    await page.getByRole('button', { name: 'Remove this version' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByRole('button', { name: 'fresh 1' }).waitFor({ state: 'detached' })
  })

  await t.test('completes kinds of processors and their options', async () => {
    const page = await site.open('pipelines')
    await write(page, 'Pipeline', 'processors:\n  - dis')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete').getByText('dissect').first().waitFor()
    await page.keyboard.press('Escape')
    await write(page, 'Pipeline', 'processors:\n  - dissect:\n      app')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete').getByText('append_separator').waitFor()
  })

  await t.test('text that was not stored is there again, and can be thrown away', async t => {
    const page = await site.open('pipelines?name=other')
    await page.locator('.cm-content').getByText('int32').waitFor()
    await write(page, 'Pipeline', 'processors: []')
    await page.getByRole('link', { name: 'Tables' }).click()
    await page.getByRole('searchbox', { name: 'Search tables' }).waitFor()
    await page.goBack()
    await page.getByText('Not stored yet').waitFor()
    await shows(t).match(() => page.locator('.cm-content').textContent(), 'processors: []')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.locator('.cm-content').getByText('int32').waitFor()
    await page.reload()
    await page.locator('.cm-content').getByText('int32').waitFor()
    await shows(t).equal(() => page.getByText('Not stored yet').count(), 0)
  })

  await t.test('a dry run tells keys that mean nothing', async () => {
    const page = await site.open('pipelines?name=access')
    await page.locator('.cm-content').getByText('int16').waitFor()
    const yaml =
      'processors:\n  - dissect:\n      field: message\n      patern: x\n      pattern: "%{a} %{b}"\ntransform:\n  - fields: [a, b]\n    type: string'
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Backspace')
    await page.keyboard.insertText(yaml)
    await page.keyboard.press('Escape')
    await page.getByLabel('Lines to try').fill('one two')
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('unknown key patern (line 4), did you mean pattern?').waitFor()
  })
})
