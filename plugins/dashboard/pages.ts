// Keeps the pages that other plugins add.
import type { DashboardPage, DashboardService } from '../services.ts'

export function createPages(): DashboardService {
  const pages = new Map<string, DashboardPage>()
  return {
    addPage(page) {
      if (!/^[a-z][a-z0-9_-]*$/.test(page.name))
        throw new TypeError(`a page must have a name such as mine: ${page.name}`)
      if (pages.has(page.name)) throw new TypeError(`there is a page ${page.name} already`)
      pages.set(page.name, page)
    },
    pages: () => [...pages.values()]
  }
}
