import {
  type Json,
  policyBudget,
  type Schema,
  startPolicyEvaluation,
  withObject,
} from '@agents/crd'
import { type KubeObject, sameJson } from '@agents/kube'
import { createFieldTypes } from '../../apply/field-type.ts'
import { copyJson } from '../../json/json-value.ts'
import type { AdmissionAttributes, AdmittedKind } from '../../rest/admission.ts'
import { ApiError, forbidden } from '../../status/api-error.ts'
import { type CompiledMutatingPolicy, compileMutatingPolicy } from '../compiled-policy.ts'
import { isExcluded } from '../excluded-resources.ts'
import type { Match } from '../matching/match-resources.ts'
import { type MutatedKind, mutateObject } from '../mutation/mutate-object.ts'
import { PatchError } from '../mutation/patch-error.ts'
import {
  createReinvocation,
  type Reinvocation,
  requireReinvocation,
} from '../mutation/reinvocation.ts'
import { writeBack } from '../mutation/write-back.ts'
import { createPolicyIndex, type PolicyIndex } from '../policy-index.ts'
import type { MutatingBinding, MutatingPolicy } from '../policy-objects.ts'
import { type PolicyRequest, policyRequest } from '../policy-request.ts'
import { policyAuthorizer } from './authorization.ts'
import { invocationsOf } from './invocations.ts'
import { evaluateMatchConditions } from './match-conditions.ts'
import type { PolicyDependencies } from './policy-dependencies.ts'
import { converted, evaluationInput, inVersion, namespaceObject } from './policy-input.ts'
import { requestName } from './request-name.ts'

type Index = PolicyIndex<MutatingPolicy, MutatingBinding, CompiledMutatingPolicy>

export interface MutatingDependencies extends PolicyDependencies {
  /** Schema of a built-in kind, including kinds that are not stored, such as Scale and Eviction. */
  readonly schemaOf: (kind: AdmittedKind) => Schema | undefined
}

interface MutatingAdmission {
  /** Mutates the object of a request. Returns the first pass if the built-in plugins have to run again. */
  admit(attributes: AdmissionAttributes): Pass | undefined
  stop(): void
}

/** The first pass over the policies, which may be followed by a second one. */
interface Pass {
  again(): void
}

/** Admission that lets MutatingAdmissionPolicies change objects before they are validated. */
export function mutatingAdmission(dependencies: MutatingDependencies): MutatingAdmission {
  const index: Index = createPolicyIndex({
    store: dependencies.store,
    policies: 'mutatingadmissionpolicies',
    bindings: 'mutatingadmissionpolicybindings',
    compile: compileMutatingPolicy,
  })
  const types = createFieldTypes()
  const kindOf = (request: PolicyRequest, { resource, kind }: Match): MutatedKind => {
    const isOwn = kind.kind === resource.kind && kind.group === resource.group
    if (isOwn) {
      const { schema, isCustom, strategy } = resource
      const type = isCustom ? types.ofCustomResource(schema) : types.ofSchema(schema)
      return { kind, isCustom, type, decoding: strategy }
    }
    const type = types.ofSchema(dependencies.schemaOf(request.kind) ?? {})
    return { kind, isCustom: false, type, decoding: undefined }
  }
  const run = (attributes: AdmissionAttributes, reinvocation: Reinvocation): void => {
    const request = policyRequest(attributes)
    const policies = index.about(attributes)
    const mutated = mutateRequest(policies, request, reinvocation, dependencies, kindOf)
    if (mutated !== undefined && mutated !== request.object) writeBack(attributes, mutated)
  }
  return {
    admit(attributes) {
      const { operation, resource, object } = attributes
      if (operation === 'DELETE' || object === undefined) return undefined
      if (index.about(attributes).length === 0 || isExcluded(resource.group, resource.plural)) {
        return undefined
      }
      const reinvocation = createReinvocation()
      run(attributes, reinvocation)
      if (!reinvocation.isWanted) return undefined
      // The built-in plugins do not change custom resources.
      const output = resource.isCustom ? undefined : copyJson(object)
      if (output === undefined && !mayRunAgain(index.about(attributes), reinvocation)) {
        return undefined
      }
      return {
        again: () => {
          reinvocation.isSecond = true
          if (output !== undefined && !sameJson(output, object)) requireReinvocation(reinvocation)
          run(attributes, reinvocation)
        },
      }
    },
    stop: () => index.stop(),
  }
}

/** Match conditions are evaluated again whether their policy runs again or not: one that fails denies the request. */
function mayRunAgain(policies: ReturnType<Index['about']>, { again }: Reinvocation): boolean {
  return again.size > 0 || policies.some((bound) => bound.compiled().matchConditions.length > 0)
}

interface Failure {
  readonly text: string
  readonly reason?: string
}

/** Returns the object after all policies, or undefined if none of them changed it. */
function mutateRequest(
  policies: ReturnType<Index['about']>,
  request: PolicyRequest,
  reinvocation: Reinvocation,
  dependencies: MutatingDependencies,
  kindOf: (request: PolicyRequest, match: Match) => MutatedKind,
): KubeObject | undefined {
  const authorizer = policyAuthorizer(dependencies.authorizer)
  const misconfigured: Failure[] = []
  const failures: Failure[] = []
  let current = request.object
  let isMutated = false
  for (const bound of policies) {
    const { metadata, spec } = bound.policy
    const fail = (list: Failure[], binding: KubeObject | undefined, message: string): void => {
      if (spec.failurePolicy === 'Ignore') return
      const text =
        binding === undefined
          ? `policy "${metadata.name}" denied request: ${message}`
          : `policy '${metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`
      list.push(list === failures ? { text, reason: 'Invalid' } : { text })
    }
    // Policies are matched against the original object, not against the result of other policies.
    for (const step of invocationsOf(bound, request, dependencies)) {
      if ('message' in step) {
        fail(misconfigured, step.binding, step.message)
        continue
      }
      const { binding, match } = step
      const compiled = bound.compiled()
      for (const params of step.params) {
        if (current === undefined) continue
        const key = (): string => invocationKey(bound.policy, binding, params)
        const isSkipped = reinvocation.isSecond && !reinvocation.again.has(key())
        // Match conditions come first, since one that fails denies the request in the second pass, too.
        if (isSkipped && compiled.matchConditions.length === 0) continue
        const parts = {
          request: withCurrent(request, current),
          match,
          namespaceObject: namespaceObject(request, dependencies.store),
          authorizer,
          hasParams: compiled.hasParams,
          params,
        }
        const conditions = evaluateMatchConditions(compiled, parts)
        if ('error' in conditions) {
          fail(failures, binding, conditions.error)
          continue
        }
        if (!conditions.matches || isSkipped) continue
        const before: KubeObject = current
        let versioned = inVersion(current, request, match)
        const kind = kindOf(request, match)
        let input = evaluationInput(parts)
        for (const [at, mutation] of compiled.mutations.entries()) {
          if (versioned === undefined) continue
          // `object` is the result of the previous mutation.
          if (at > 0) input = withObject(input, versioned as unknown as Json)
          try {
            const evaluation = startPolicyEvaluation(compiled.compiler, input, policyBudget)
            versioned = mutateObject(mutation, evaluation, versioned, kind)
            isMutated = true
          } catch (error) {
            if (!(error instanceof PatchError)) throw error
            fail(failures, binding, error.message)
          }
        }
        current = inRequestVersion(versioned, request, match) ?? current
        // Without policies to run again, the comparison decides nothing.
        if (reinvocation.invoked.size > 0 && !sameJson(before, current)) {
          requireReinvocation(reinvocation)
        }
        if (spec.reinvocationPolicy === 'IfNeeded') reinvocation.invoked.add(key())
      }
    }
  }
  refuse(request, [...misconfigured, ...failures])
  if (!isMutated) return undefined
  requireReinvocation(reinvocation)
  reinvocation.isWanted = true
  return current
}

function invocationKey(...objects: readonly (KubeObject | undefined)[]): string {
  return objects
    .map((one) => `${one?.metadata.namespace ?? ''}/${one?.metadata.name ?? ''}`)
    .join(' ')
}

/** The request with the result of the previous policies as its object. */
function withCurrent(request: PolicyRequest, object: KubeObject): PolicyRequest {
  if (object === request.object) return request
  const { own } = request.seen
  return { ...request, object, seen: own === undefined ? {} : { own } }
}

function inRequestVersion(
  object: KubeObject | undefined,
  request: PolicyRequest,
  match: Match,
): KubeObject | undefined {
  if (object === undefined || match.resource === request.resource) return object
  if (request.kind.kind !== request.resource.kind) return object
  return converted(object, match.resource, request.resource)
}

/** Like kube-apiserver, uses the code of Forbidden whatever the reason is. */
function refuse(request: PolicyRequest, failures: readonly Failure[]): void {
  const [first] = failures
  if (first === undefined) return
  const { code, reason, details } = forbidden(request.resource, requestName(request), '')
  throw new ApiError(code, first.reason ?? reason, first.text, {
    ...details,
    causes: failures.map(({ text }) => ({ message: text })),
  })
}
