// The interface between the dashboard and pages of plugins. Types only: pages run in the browser.

/** Default export of a page's module: fills the element. The function it returns is called when another page is opened. */
// biome-ignore lint/suspicious/noConfusingVoidType: a page without cleanup returns nothing
export type DashboardMount = (element: HTMLElement, host: DashboardHost) => (() => void) | void

/** The dashboard's functions for a plugin's page. */
export interface DashboardHost {
  /** Sends a request to this server as the session's user, for its database. Rejects with the server's message if the request fails. */
  request(path: string, options?: DashboardRequest): Promise<Response>
  /** Parameters of the page's address. */
  parameters(): URLSearchParams
  /** Changes parameters; undefined removes one. */
  change(changes: Readonly<Record<string, string | undefined>>): void
  /** Calls `show` now and whenever the address changes; returns a function that unsubscribes. */
  follow(show: (parameters: URLSearchParams) => void): () => void
  /** Shows the refresh control above the page and calls `load` each time; returns a function that removes it. */
  onRefresh(load: () => void): () => void
  /** Whether the dark colour scheme is in use; may change while the page is shown. */
  readonly isDark: boolean
}

/** A request of a page to this server. */
export interface DashboardRequest {
  /** Default: POST with a body or a form, else GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Parameters of the URL, or of a form with `form`. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly form?: Readonly<Record<string, string | number | undefined>>
  readonly body?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Default: the session's database; null: none. */
  readonly db?: string | null
}
