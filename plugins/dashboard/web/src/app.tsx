// The frame: navigation, session, and the page the address names.
import { useComputed, useSignalEffect } from '@preact/signals'
import { useKeys } from './components/keys.ts'
import { Navigation } from './components/navigation.tsx'
import { Palette } from './components/palette.tsx'
import { SignIn } from './components/sign-in.tsx'
import { PageView } from './page-view.tsx'
import { areComplete, loadAddedPages, pages } from './pages.ts'
import { addressOf, followLinks, go, page, parameters } from './router.ts'
import { lastDatabase, mustSignIn, user } from './session.ts'

followLinks()
void loadAddedPages()

export function App() {
  useSignalEffect(() => {
    if (page.value === '') go(addressOf(pages.value[0]!.name, entryParameters()))
  })
  const found = useComputed(() => pages.value.find(({ name }) => name === page.value))
  useSignalEffect(() => {
    document.title = found.value ? `${found.value.title} · Weir` : 'Weir'
  })
  useKeys()
  if (mustSignIn.value) return <SignIn />
  return (
    <div class="shell">
      <Navigation />
      <main class="page" aria-label={found.value?.title} key={`${page.value} ${user.value?.name}`}>
        {found.value && <PageView page={found.value} />}
        {!found.value && !areComplete.value && <p class="empty">Loading …</p>}
        {!found.value && areComplete.value && (
          <p class="empty">
            There is no page here. <a href={addressOf('home')}>Home</a>
          </p>
        )}
      </main>
      <Palette />
    </div>
  )
}

/** Without a path in the address the last visited page is shown. */
function entryParameters() {
  return { ...Object.fromEntries(parameters.value), db: parameters.value.get('db') ?? lastDatabase() }
}
