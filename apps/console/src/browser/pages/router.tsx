import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { readNewRunSearch } from '../new-run/new-run-search.ts'
import { FailureNotice } from '../parts/notice.tsx'
import { readRunPageSearch } from '../run/run-page-search.ts'
import { readRunSearch } from '../runs/run-search.ts'
import { RunsPage } from '../runs/runs-page.tsx'
import { Frame } from '../shell/frame.tsx'

const rootRoute = createRootRoute({ component: Frame })

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/runs' })
  },
})

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: readRunSearch,
  component: RunsPage,
})

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$namespace/$name',
  validateSearch: readRunPageSearch,
  component: lazyRouteComponent(() => import('../run/run-page.tsx'), 'RunPage'),
})

const newRunRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new',
  validateSearch: readNewRunSearch,
  component: lazyRouteComponent(() => import('../new-run/new-run-page.tsx'), 'NewRunPage'),
})

const routeTree = rootRoute.addChildren([homeRoute, runsRoute, runRoute, newRunRoute])

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: ({ error }) => (
      <div className="page">
        <FailureNotice what="The page failed:" error={error} />
      </div>
    ),
  })
}

function NotFound() {
  return (
    <div className="page">
      <h1>Nothing here</h1>
      <p>
        The console has no page at this address. <Link to="/runs">All runs</Link>
      </p>
    </div>
  )
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
