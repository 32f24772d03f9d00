import t from 'tap'
import { needing } from '../../programs.ts'
import { look, openSite, shows, write } from './browser.ts'

t.test('a server with users asks for one and tells why it refuses', needing('chromium'), async t => {
  const site = await openSite(t, { env: { WEIR__USER_PROVIDER: 'static_user_provider:cmd:alice=secret' } })
  const page = await site.open('query')
  await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
  await page.getByLabel('User').fill('alice')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await look(t, page, 'sign-in')
  await page.getByLabel('Password').fill('secret')
  await page.keyboard.press('Enter')
  await write(page, 'SQL statement', 'SELECT 1 AS one')
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('1 row in').waitFor()
  await page.getByRole('link', { name: 'Ingest' }).click()
  const snippet = page.locator('.snippet pre')
  await shows(t).match(() => snippet.textContent(), "curl -u 'alice:PASSWORD' '")
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('prometheus')
  await shows(t).match(() => snippet.textContent(), /basic_auth:\n +username: alice/)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
})
