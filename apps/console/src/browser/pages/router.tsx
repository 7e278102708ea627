import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { readAuditSearch } from '../audit/audit-search.ts'
import { readInboxSearch } from '../inbox/inbox-search.ts'
import { readObjectSearch, readObjectsSearch } from '../kinds/kinds-search.ts'
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
  component: lazyRouteComponent(() => import('../overview/overview-page.tsx'), 'OverviewPage'),
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

const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/approvals',
  validateSearch: readObjectsSearch,
  component: lazyRouteComponent(() => import('../approvals/approvals-page.tsx'), 'ApprovalsPage'),
})

const budgetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/budgets',
  validateSearch: readObjectsSearch,
  component: lazyRouteComponent(() => import('../budgets/budgets-page.tsx'), 'BudgetsPage'),
})

const mirrorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mirrors',
  validateSearch: readObjectsSearch,
  component: lazyRouteComponent(() => import('../mirrors/mirrors-page.tsx'), 'MirrorsPage'),
})

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox/$namespace/$delivery',
  component: lazyRouteComponent(() => import('../inbox/delivery-page.tsx'), 'DeliveryPage'),
})

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
})

const clusterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/cluster',
  validateSearch: readObjectsSearch,
  component: lazyRouteComponent(() => import('../cluster/cluster-page.tsx'), 'ClusterPage'),
})

const kindsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/kinds',
  component: lazyRouteComponent(() => import('../kinds/kinds-page.tsx'), 'KindsPage'),
})

const objectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/kinds/$kind',
  validateSearch: readObjectsSearch,
  component: lazyRouteComponent(() => import('../kinds/objects-page.tsx'), 'ObjectsPage'),
})

const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/kinds/$kind/$namespace/$name',
  validateSearch: readObjectSearch,
  component: lazyRouteComponent(() => import('../kinds/object-page.tsx'), 'ObjectPage'),
})

const routeTree = rootRoute.addChildren([
  homeRoute,
  runsRoute,
  runRoute,
  newRunRoute,
  approvalsRoute,
  budgetsRoute,
  mirrorsRoute,
  inboxRoute,
  deliveryRoute,
  auditRoute,
  clusterRoute,
  kindsRoute,
  objectsRoute,
  objectRoute,
])

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
