import type { KubeObject } from '@agents/kube'
import type { Resource } from '../../registry/resource.ts'
import { ApiError } from '../../status/api-error.ts'
import type { Match } from '../matching/match-resources.ts'
import { ConfigurationError, collectParams, paramResource } from '../params.ts'
import type { BoundPolicy } from '../policy-index.ts'
import type { BindingSpec, PolicySpec } from '../policy-objects.ts'
import type { PolicyRequest } from '../policy-request.ts'
import type { PolicyDependencies } from './policy-dependencies.ts'

/** A policy that applies to a request through a binding. It is evaluated once for each of the params. */
interface Invocation<Binding> {
  readonly binding: Binding
  readonly match: Match
  readonly params: readonly (KubeObject | undefined)[]
}

/** A policy or a binding that cannot be evaluated. */
interface Misconfiguration<Binding> {
  /** Absent if the policy itself is misconfigured. */
  readonly binding: Binding | undefined
  readonly message: string
}

type Step<Binding> = Invocation<Binding> | Misconfiguration<Binding>

/** The bindings of a policy that apply to a request, in order. */
export function invocationsOf<
  Policy extends KubeObject & { readonly spec: PolicySpec },
  Binding extends KubeObject & { readonly spec: BindingSpec },
>(
  { policy, bindings }: BoundPolicy<Policy, Binding, unknown>,
  request: PolicyRequest,
  { store, registry, matcher }: PolicyDependencies,
): Step<Binding>[] {
  const { matchConstraints = {}, paramKind } = policy.spec
  const ofPolicy = attempt(() => {
    const match = matcher.match(matchConstraints, request)
    if (match === undefined) return undefined
    const resource = paramKind === undefined ? undefined : paramResource(registry, paramKind)
    return { match, resource }
  })
  if (ofPolicy === undefined) return []
  if (typeof ofPolicy === 'string') {
    return [{ binding: undefined, message: `failed to configure policy: ${ofPolicy}` }]
  }
  const { match, resource } = ofPolicy
  return bindings.flatMap((binding): Step<Binding>[] => {
    const { matchResources, paramRef } = binding.spec
    const found = attempt(() => {
      const isBound =
        matchResources === undefined || matcher.match(matchResources, request) !== undefined
      return isBound ? paramsOf(store, resource, paramRef, request) : undefined
    })
    if (found === undefined) return []
    if (typeof found === 'string') {
      return [{ binding, message: `failed to configure binding: ${found}` }]
    }
    return [{ binding, match, params: found }]
  })
}

function paramsOf(
  store: PolicyDependencies['store'],
  resource: Resource | undefined,
  paramRef: BindingSpec['paramRef'],
  { namespace }: PolicyRequest,
): (KubeObject | undefined)[] {
  return collectParams(store, resource, paramRef, namespace)
}

/** Returns the message of a ConfigurationError in place of the result. */
function attempt<Result extends object>(
  find: () => Result | undefined,
): Result | undefined | string {
  try {
    return find()
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof ApiError) return error.message
    throw error
  }
}
