// What a page of a plugin is given by the dashboard it is shown in. Types only: the page runs in the browser.

/** Default export of a page's module: fills the element; what it returns is called when another page is shown. */
// biome-ignore lint/suspicious/noConfusingVoidType: a page that has nothing to end returns nothing
export type DashboardMount = (element: HTMLElement, host: DashboardHost) => (() => void) | void

/** What the dashboard offers to a plugin's page. */
export interface DashboardHost {
  /** A request to this server with the user and the database of the session. Rejects with the server's words unless it is a success. */
  request(path: string, options?: DashboardRequest): Promise<Response>
  /** Parameters of the page's address. */
  parameters(): URLSearchParams
  /** Changes parameters; undefined removes one. */
  change(changes: Readonly<Record<string, string | undefined>>): void
  /** Calls `show` now and whenever the address changes; returns a function that ends that. */
  follow(show: (parameters: URLSearchParams) => void): () => void
  /** Shows the refresh control above the page and calls `load` each time; returns a function that removes it. */
  onRefresh(load: () => void): () => void
  /** At the moment. */
  readonly isDark: boolean
}

/** A request of a page to this server. */
export interface DashboardRequest {
  /** Default: POST with a body or a form, else GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Go into the address, or into a form with `form`. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly form?: Readonly<Record<string, string | number | undefined>>
  readonly body?: BodyInit
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Default: the session's; null: none. */
  readonly db?: string | null
}
