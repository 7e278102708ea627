import type { Page, Request } from 'playwright-core'
import { until } from '../../support/testbed/until.ts'

/** Follows what a page asks the API. What it returns waits until the page has all answers and has drawn them. */
export function followRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    // The stream of events has no end.
    if (pathname.startsWith('/v1/') && pathname !== '/v1/events') open.add(request)
  })
  const close = (request: Request) => void open.delete(request)
  page.on('requestfinished', close)
  page.on('requestfailed', close)
  return async () => {
    do {
      await until(() => open.size === 0, 'the page still waits for answers', { timeoutMs: 60_000 })
      await page.evaluate(drawn)
    } while (open.size > 0)
  }
}

const drawn = `new Promise((resolve) => {
  requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(resolve)))
})`
