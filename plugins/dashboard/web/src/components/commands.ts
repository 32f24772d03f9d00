// The commands of the palette: pages, tables and switches.
import type { BoardFacts } from '../api/boards.ts'
import { quoteText, rowsOf } from '../api/sql.ts'
import { pages } from '../pages.ts'
import { addressOf, go } from '../router.ts'
import { isDark, theme } from '../theme.ts'
import { refresh } from '../time.ts'
import { chooseZone, zone } from '../zone.ts'
import { shown } from './keys.ts'

export interface Command {
  readonly title: string
  readonly note: string
  run(): void
}

/** The commands that contain all words, exact names first. */
export function findCommands(
  wanted: string,
  tables: readonly string[],
  boards: readonly BoardFacts[]
): readonly Command[] {
  const words = wanted.toLowerCase().split(/\s+/)
  return commandsOf(tables, boards)
    .filter(({ title, note }) => words.every(word => `${title} ${note}`.toLowerCase().includes(word)))
    .sort((a, b) => distance(a, words[0]!) - distance(b, words[0]!))
}

/** Order: the exact name, then names that begin with the word, then those that contain it. */
function distance({ title }: Command, word: string): number {
  const name = title.toLowerCase()
  return name === word ? 0 : name.startsWith(word) ? 1 : 2
}

function commandsOf(tables: readonly string[], boards: readonly BoardFacts[]): readonly Command[] {
  return [
    ...pages.value.map(({ name, title }) => ({ title, note: 'page', run: () => go(addressOf(name)) })),
    ...tables.map(name => ({ title: name, note: 'table', run: () => go(addressOf('tables', { table: name })) })),
    ...boards.map(({ id, title }) => ({ title, note: 'dashboard', run: () => go(addressOf('boards', { board: id })) })),
    {
      title: isDark.value ? 'Light' : 'Dark',
      note: 'theme',
      run: () => {
        theme.value = isDark.value ? 'light' : 'dark'
      }
    },
    {
      title: zone.value === 'UTC' ? 'Times of this machine' : 'Times in UTC',
      note: 'time zone',
      run: () => chooseZone(zone.value === 'UTC' ? 'local' : 'UTC')
    },
    { title: 'Refresh', note: 'load anew', run: refresh },
    {
      title: 'Keys',
      note: 'help',
      run: () => {
        shown.value = { kind: 'keys' }
      }
    }
  ]
}

export async function loadTables(db: string, signal: AbortSignal): Promise<readonly string[]> {
  const rows = await rowsOf<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = ${quoteText(db)} ORDER BY table_name LIMIT 10000`,
    { signal }
  )
  return rows.map(({ table_name }) => table_name)
}
