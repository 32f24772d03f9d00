// Pages to go to, the database looked at, the user, the theme.
import { useEffect, useRef } from 'preact/hooks'
import { databases, loadDatabases } from '../api/catalog.ts'
import icon from '../icon.svg'
import { pages } from '../pages.ts'
import { addressOf, page } from '../router.ts'
import { chooseDatabase, database, signOut, user } from '../session.ts'
import { type Theme, theme } from '../theme.ts'

const themes: readonly Theme[] = ['system', 'light', 'dark']

export function Navigation() {
  useEffect(() => void loadDatabases(), [user.value])
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [page.value, pages.value])
  const names = databases.value.includes(database.value) ? databases.value : [database.value, ...databases.value]
  return (
    <header class="side">
      <a class="brand" href={addressOf(pages.value[0]!.name)}>
        <img src={icon} alt="Weir" />
        <span aria-hidden="true">Weir</span>
      </a>
      <nav aria-label="Pages" ref={list}>
        {pages.value.map(({ name, title }) => (
          <a key={name} href={addressOf(name)} aria-current={name === page.value ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="session">
        <Pick label="Database" names={names} chosen={database.value} onChange={chooseDatabase} />
        <Pick
          label="Theme"
          names={themes}
          chosen={theme.value}
          onChange={name => {
            theme.value = name
          }}
        />
        {user.value && (
          <button type="button" onClick={signOut} title={`Signed in as ${user.value.name}`}>
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}

interface PickProps<T extends string> {
  readonly label: string
  readonly names: readonly T[]
  readonly chosen: T
  onChange(name: T): void
}

function Pick<T extends string>({ label, names, chosen, onChange }: PickProps<T>) {
  return (
    <label>
      <span>{label}</span>
      <select aria-label={label} value={chosen} onChange={event => onChange(event.currentTarget.value as T)}>
        {names.map(name => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
