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
  let match: Match | undefined
  let resource: Resource | undefined
  try {
    match = matcher.match(matchConstraints, request)
    if (match === undefined) return []
    if (paramKind !== undefined) resource = paramResource(registry, paramKind)
  } catch (error) {
    return [{ binding: undefined, message: `failed to configure policy: ${messageOf(error)}` }]
  }
  const steps: Step<Binding>[] = []
  for (const binding of bindings) {
    const { matchResources, paramRef } = binding.spec
    try {
      if (matchResources !== undefined && matcher.match(matchResources, request) === undefined) {
        continue
      }
      const params = collectParams(store, resource, paramRef, request.namespace)
      steps.push({ binding, match, params })
    } catch (error) {
      steps.push({ binding, message: `failed to configure binding: ${messageOf(error)}` })
    }
  }
  return steps
}

/** The message of an error in the configuration. Throws other errors. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof ApiError) return error.message
  throw error
}
