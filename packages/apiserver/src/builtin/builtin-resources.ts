import { type PodStreams, parseApiVersion, stringifyJson } from '@agents/kube'
import {
  reviewOwnAccess,
  reviewOwnIdentity,
  reviewOwnRules,
  reviewSubjectAccess,
  reviewToken,
} from '../auth/access-review.ts'
import type { Authenticator } from '../auth/authenticate.ts'
import type { Authorizer } from '../auth/rbac/authorizer.ts'
import type { ServiceAccountTokens } from '../auth/tokens/service-account-token.ts'
import type { Resource } from '../registry/resource.ts'
import type { RestEnvironment } from '../rest/environment.ts'
import type { Entry, Store } from '../store/store.ts'
import { bind } from './actions/binding.ts'
import type { PodLogs } from './actions/pod-log.ts'
import { checkAccessReview, checkTokenReview } from './actions/review-checks.ts'
import { builtinSubresources } from './builtin-subresources.ts'
import { otherDefaults } from './defaults/other-defaults.ts'
import { podDefaults } from './defaults/pod-defaults.ts'
import { workloadDefaults } from './defaults/workload-defaults.ts'
import { createDefaulter } from './go-json/defaults.ts'
import { createGoShapes } from './go-json/shape.ts'
import { autoscalerV1, autoscalerV2 } from './kinds/autoscaler-versions.ts'
import { coreEvent, eventsEvent } from './kinds/event-kinds.ts'
import { kindRules } from './kinds/kind-table.ts'
import { type BuiltinSchemas, createBuiltinSchemas } from './schema/builtin-schemas.ts'
import type { BuiltinTables, DiscoveredResource } from './schema/tables.ts'
import { serviceAllocations } from './service-allocations.ts'
import { builtinStrategy, type StrategyParts } from './strategy/builtin-strategy.ts'
import type { BuiltinObject, KindRules } from './strategy/kind-rules.ts'

export interface BuiltinDependencies {
  readonly tables: BuiltinTables
  readonly store: Store
  readonly authorizer: Authorizer
  readonly authenticator: Authenticator
  readonly tokens: ServiceAccountTokens
  /** Called when a request needs it, so that it can be created after the resources. */
  readonly rest: () => RestEnvironment
  /** If omitted, logs are empty. */
  readonly podLogs?: PodLogs
  /** If omitted, exec, attach and portforward of pods are refused. */
  readonly podStreams?: PodStreams
}

/** All built-in resources except CustomResourceDefinition. Schemas and strategies are built when first used. */
export function builtinResources(dependencies: BuiltinDependencies): Resource[] {
  const { tables } = dependencies
  const parts: StrategyParts = {
    tables,
    shapes: createGoShapes(tables),
    defaulter: createDefaulter(tables, { ...podDefaults, ...workloadDefaults, ...otherDefaults }),
  }
  const schemas = createBuiltinSchemas(tables.definitions)
  const rules = kindRules(serviceAllocations(dependencies.store))
  const ids = definitionIds(tables)
  const bindPod = bind(dependencies.rest, () => {
    const pods = made.find(({ group, plural }) => group === '' && plural === 'pods')
    if (pods === undefined) throw new Error('there are no pods')
    return pods
  })
  const made: Resource[] = tables.resources
    .filter(({ resource }) => !notServed.has(resource))
    .map((discovered) => {
      const id = ids.get(`${discovered.gv}/${discovered.kind}`)
      if (id === undefined) throw new Error(`${discovered.kind} has no definition`)
      const offered = { ...dependencies, bindPod }
      return builtinResource(offered, parts, schemas, discovered, id, rules[id] ?? {})
    })
  return made
}

/** Resources that are not created here: definitions have a folder of their own, and there are no component statuses. */
const notServed = new Set(['customresourcedefinitions', 'componentstatuses'])

interface Offered extends BuiltinDependencies {
  readonly bindPod: ReturnType<typeof bind>
}

function builtinResource(
  dependencies: Offered,
  parts: StrategyParts,
  schemas: BuiltinSchemas,
  discovered: DiscoveredResource,
  id: string,
  rules: KindRules,
): Resource {
  const { group, version } = parseApiVersion(discovered.gv)
  const strategy = builtinStrategy(parts, id, rules)
  const { selectable } = rules
  const review = virtualKinds(dependencies)[discovered.resource]
  const conversion = conversions[`${discovered.gv}/${discovered.resource}`]
  return {
    group,
    version,
    plural: discovered.resource,
    singular: discovered.singular,
    kind: discovered.kind,
    listKind: `${discovered.kind}List`,
    // Events of both groups are validated as those of the core group.
    ...(discovered.kind === 'Event' ? { refusedAs: { group: '', kind: 'Event' } } : {}),
    namespaced: discovered.scope === 'Namespaced',
    shortNames: discovered.short ?? [],
    categories: discovered.categories ?? [],
    verbs: discovered.verbs,
    storagePrefix: `/${storedGroup(group, discovered.resource)}/${discovered.resource}/`,
    schema: schemas.schema(id),
    isCustom: false,
    subresources: builtinSubresources(
      discovered,
      { ...dependencies, shapes: parts.shapes },
      strategy,
      rules,
    ),
    strategy,
    columns: undefined,
    ...(id === 'core.v1.Endpoints' ? { deprecated: { warning: endpointsWarning } } : {}),
    unknownFieldMessage: (path) => unknownField(path, discovered, selectable !== undefined),
    ...(selectable === undefined
      ? {}
      : {
          selectableFields: Object.keys(selectable),
          selectableField: (object, path) => selectable[path]?.(object as BuiltinObject),
        }),
    ...(review === undefined ? {} : { createVirtual: review }),
    ...(conversion === undefined
      ? {}
      : {
          fromStorage: (entry) => convertedEntry(entry, conversion.fromStored),
          toStorage: (object) => conversion.toStored(object as BuiltinObject),
        }),
  }
}

const endpointsWarning =
  'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'

function unknownField(path: string, { kind }: DiscoveredResource, selects: boolean): string {
  const quoted = JSON.stringify(path)
  if (kind === 'Job') return `field label ${quoted} not supported for ${kind}`
  return selects
    ? `field label not supported: ${path}`
    : `${quoted} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

interface Conversion {
  fromStored(object: BuiltinObject): BuiltinObject
  toStored(object: BuiltinObject): BuiltinObject
}

/** Versions that are converted from and to another version, which is stored. */
const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': { fromStored: eventsEvent, toStored: coreEvent },
  'autoscaling/v1/horizontalpodautoscalers': { fromStored: autoscalerV1, toStored: autoscalerV2 },
}

function storedGroup(group: string, resource: string): string {
  return group === '' || resource === 'events' ? 'core' : group
}

function convertedEntry(entry: Entry, fromStored: Conversion['fromStored']): Entry {
  let value: BuiltinObject | undefined
  let json: Buffer | undefined
  return {
    key: entry.key,
    revision: entry.revision,
    get value() {
      value ??= fromStored(entry.value as BuiltinObject)
      return value
    },
    get json() {
      json ??= Buffer.from(stringifyJson(this.value))
      return json
    },
  }
}

/** Maps kinds such as `apps/v1/Deployment` to the id of their definition. */
export function definitionIds({ definitions }: BuiltinTables): Map<string, string> {
  const ids = new Map<string, string>()
  for (const [id, { gvk = [] }] of Object.entries(definitions)) {
    // Types such as DeleteOptions list every group version; a real kind lists one.
    if (gvk.length === 1) for (const kind of gvk) ids.set(kind, id)
  }
  return ids
}

function virtualKinds({
  authorizer,
  authenticator,
  tokens,
  bindPod,
}: Offered): Readonly<Record<string, NonNullable<Resource['createVirtual']>>> {
  return {
    // The older way to bind a pod, whose name is in the body.
    bindings: (body, context) => {
      const { namespace = '', name } = body.metadata
      return bindPod({ namespace, name, body, context })
    },
    tokenreviews: (review) => {
      checkTokenReview(review)
      return reviewToken(review, authenticator, tokens.issuer)
    },
    subjectaccessreviews: (review) => {
      checkAccessReview(review, true)
      return reviewSubjectAccess(review, authorizer)
    },
    localsubjectaccessreviews: (review) => {
      checkAccessReview(review, true)
      return reviewSubjectAccess(review, authorizer)
    },
    selfsubjectaccessreviews: (review, { user }) => {
      checkAccessReview(review, false)
      return reviewOwnAccess(review, user, authorizer)
    },
    selfsubjectrulesreviews: (review, { user }) => reviewOwnRules(review, user, authorizer),
    selfsubjectreviews: (review, { user, now }) => reviewOwnIdentity(review, user, now),
  }
}
