// The page: one module without imports, which runs in the browser.

/**
 * Fills the element; what it returns is called when another page is shown.
 * @type {import('weir-server/services').DashboardMount}
 */
export default function mount(element, host) {
  const heading = document.createElement('h1')
  heading.textContent = 'Mine'
  const list = document.createElement('ul')
  element.append(heading, list)
  const gone = new AbortController()
  void show(list, host, gone.signal)
  return () => gone.abort()
}

/**
 * @param {HTMLElement} list
 * @param {import('weir-server/services').DashboardHost} host
 * @param {AbortSignal} signal
 */
async function show(list, host, signal) {
  try {
    const answer = await host.request('/v1/sql', { form: { sql: 'SHOW TABLES' }, signal })
    const { output } = await answer.json()
    for (const [table] of output[0].records.rows) {
      const item = document.createElement('li')
      item.textContent = table
      list.append(item)
    }
  } catch (error) {
    if (!signal.aborted) list.textContent = String(error)
  }
}
