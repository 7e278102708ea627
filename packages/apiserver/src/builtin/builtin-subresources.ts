import { type PodStreams, parseApiVersion } from '@agents/kube'
import type { ServiceAccountTokens } from '../auth/tokens/service-account-token.ts'
import { copyJson } from '../json/json-value.ts'
import type { Subresource } from '../registry/resource.ts'
import type { Decoding, Strategy } from '../registry/strategy.ts'
import type { RestEnvironment } from '../rest/environment.ts'
import type { Store } from '../store/store.ts'
import type { bind } from './actions/binding.ts'
import { evict } from './actions/eviction.ts'
import { connectSubresource } from './actions/pod-connections.ts'
import { logSubresource, type PodLogs } from './actions/pod-log.ts'
import { requestToken } from './actions/token-request.ts'
import type { GoShapes } from './go-json/shape.ts'
import { certificateRequestView } from './kinds/certificates/request-kind.ts'
import type { DiscoveredResource } from './schema/tables.ts'
import { viewStrategy } from './strategy/builtin-strategy.ts'
import type { BuiltinObject, KindRules } from './strategy/kind-rules.ts'

interface SubresourceParts {
  readonly store: Store
  readonly tokens: ServiceAccountTokens
  readonly rest: () => RestEnvironment
  readonly podLogs?: PodLogs
  readonly podStreams?: PodStreams
  readonly shapes: GoShapes
  readonly bindPod: ReturnType<typeof bind>
}

/** The subresources that discovery lists for a resource, except for those that are not served. */
export function builtinSubresources(
  { gv, resource, kind, sub = {} }: DiscoveredResource,
  parts: SubresourceParts,
  strategy: Strategy,
  rules: KindRules,
): ReadonlyMap<string, Subresource> {
  const made = new Map<string, Subresource>()
  for (const [name, discovered] of Object.entries(sub)) {
    const own = discovered.gv === undefined ? {} : parseApiVersion(discovered.gv)
    const base = { name, kind: discovered.kind ?? kind, verbs: discovered.verbs, ...own }
    const view = (part: 'spec' | 'status'): Subresource => ({
      ...base,
      type: 'view',
      strategy: viewStrategy(strategy, rules, [part]),
    })
    const subresource =
      certificateSubresource(`${resource}/${name}`, base, strategy) ??
      commonSubresource(name, base, view) ??
      particularSubresource(`${gv}/${resource}/${name}`, base, view, parts)
    if (subresource !== undefined) made.set(name, subresource)
  }
  return made
}

type Base = Pick<Subresource, 'name' | 'kind' | 'verbs' | 'group' | 'version'>
type View = (part: 'spec' | 'status') => Subresource

function certificateSubresource(
  path: string,
  base: Base,
  strategy: Strategy,
): Subresource | undefined {
  const view = path === 'certificatesigningrequests/approval' ? 'approval' : 'status'
  return path === `certificatesigningrequests/${view}`
    ? { ...base, type: 'view', strategy: certificateRequestView(strategy, view) }
    : undefined
}

function commonSubresource(name: string, base: Base, view: View): Subresource | undefined {
  if (name === 'status') return view('status')
  if (name !== 'scale') return undefined
  return {
    ...base,
    type: 'scale',
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.spec.selector',
    selectorIsText: false,
  }
}

function particularSubresource(
  path: string,
  base: Base,
  view: View,
  { store, tokens, rest, podLogs, podStreams, bindPod, shapes }: SubresourceParts,
): Subresource | undefined {
  const action = (id: string) => ({ type: 'action', decoding: decodingOf(shapes, id) }) as const
  switch (path) {
    case 'v1/namespaces/finalize':
    case 'v1/pods/ephemeralcontainers':
    case 'v1/pods/resize':
      return view('spec')
    case 'v1/pods/log':
      return logSubresource(store, podLogs, base)
    case 'v1/pods/exec':
    case 'v1/pods/attach':
    case 'v1/pods/portforward':
      return connectSubresource(store, podStreams, base)
    case 'v1/pods/eviction':
      return {
        ...base,
        ...action('policy.v1.Eviction'),
        alsoTakes: ['policy/v1beta1'],
        create: evict(rest),
      }
    case 'v1/pods/binding':
      return { ...base, ...action('core.v1.Binding'), create: bindPod }
    case 'v1/serviceaccounts/token':
      return {
        ...base,
        ...action('authentication.v1.TokenRequest'),
        create: requestToken(tokens, store),
      }
    default:
      return undefined
  }
}

/** Decoding of a body that is not stored: rejects only what cannot be decoded, and sets no defaults. */
function decodingOf(shapes: GoShapes, id: string): Decoding {
  return {
    shapesMetadata: true,
    prune: (object) => shapes.shape(id, copyJson(object) as BuiltinObject),
    setDefaults: () => undefined,
  }
}
