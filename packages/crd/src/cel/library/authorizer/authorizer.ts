import { addRanges, fixed, type Range, scaleRange } from '../../cost/range.ts'
import { sizeOf } from '../../declaration/call-cost.ts'
import {
  type CallEstimate,
  type EstimateCall,
  estimateOne,
  listCreateCost,
  stringFactor,
  structCreateCost,
} from '../../declaration/call-estimate.ts'
import { type Apply, type Library, method } from '../../declaration/declaration.ts'
import { boolType, stringType } from '../../type/type.ts'
import { CelError, noSuchOverload, type Value } from '../../value/value.ts'
import {
  authorizerKind,
  authorizerType,
  decisionKind,
  decisionType,
  groupCheckKind,
  groupCheckType,
  type MethodsOnly,
  pathCheckKind,
  pathCheckType,
  type ResourceCheck,
  resourceCheckKind,
  resourceCheckType,
} from './authorizer-values.ts'
import { serviceAccountUser } from './service-account-user.ts'

/** The cost of one check: a third of what an expression may cost, so that an expression makes at most two checks. */
const checkCost = 350_000

const nominalCost = { cost: () => 1, estimate: estimateOne }
const checkCosts = { cost: () => checkCost, estimate: () => ({ cost: fixed(checkCost) }) }

/** The cost of parsing a selector. A requirement becomes a struct and a list; the shortest takes two characters. */
function selectorCost(length: Range): Range {
  const requirements = scaleRange(scaleRange(length, 0.5), listCreateCost + structCreateCost)
  return addRanges(addRanges(fixed(listCreateCost), scaleRange(length, stringFactor)), requirements)
}

function estimateSelector({
  args: [selector],
  sizeOf: bound,
}: EstimateCall): CallEstimate | undefined {
  return selector && { cost: selectorCost(bound(selector)) }
}

const selectorCosts = {
  cost: ([, selector]: readonly Value[]) => selectorCost(fixed(sizeOf(selector))).max,
  estimate: estimateSelector,
}

/** Authorization checks. The functions before `check` only build the request and cost little; `check` sends it. */
export const authorizer: Library = [
  [
    'path',
    [
      method(
        'authorizer_path',
        [authorizerType, stringType],
        pathCheckType,
        withText(authorizerKind, (subject, path) =>
          path.trim() === ''
            ? new CelError('path must not be empty')
            : pathCheckKind.of({ ...subject, path }),
        ),
        nominalCost,
      ),
    ],
  ],
  [
    'group',
    [
      method(
        'authorizer_group',
        [authorizerType, stringType],
        groupCheckType,
        withText(authorizerKind, (subject, group) => groupCheckKind.of({ ...subject, group })),
        nominalCost,
      ),
    ],
  ],
  [
    'serviceAccount',
    [
      method(
        'authorizer_serviceaccount',
        [authorizerType, stringType, stringType],
        authorizerType,
        serviceAccount,
        nominalCost,
      ),
    ],
  ],
  [
    'resource',
    [
      method(
        'groupcheck_resource',
        [groupCheckType, stringType],
        resourceCheckType,
        withText(groupCheckKind, (group, resource) =>
          resource.trim() === ''
            ? new CelError('resource must not be empty')
            : resourceCheckKind.of({
                ...group,
                resource,
                subresource: '',
                namespace: '',
                name: '',
                fieldSelector: '',
                labelSelector: '',
              }),
        ),
        nominalCost,
      ),
    ],
  ],
  narrowing('subresource', 'resourcecheck_subresource', nominalCost),
  narrowing('namespace', 'resourcecheck_namespace', nominalCost),
  narrowing('name', 'resourcecheck_name', nominalCost),
  narrowing('fieldSelector', 'authorizer_fieldselector', selectorCosts),
  narrowing('labelSelector', 'authorizer_labelselector', selectorCosts),
  [
    'check',
    [
      method('pathcheck_check', [pathCheckType, stringType], decisionType, check, checkCosts),
      method(
        'resourcecheck_check',
        [resourceCheckType, stringType],
        decisionType,
        check,
        checkCosts,
      ),
    ],
  ],
  [
    'errored',
    [
      method(
        'decision_errored',
        [decisionType],
        boolType,
        ([value]) => {
          const decision = decisionKind.content(value)
          return decision === undefined ? noSuchOverload : decision.error !== undefined
        },
        nominalCost,
      ),
    ],
  ],
  [
    'error',
    [
      method(
        'decision_error',
        [decisionType],
        stringType,
        ([value]) => {
          const decision = decisionKind.content(value)
          return decision === undefined ? noSuchOverload : (decision.error ?? '')
        },
        nominalCost,
      ),
    ],
  ],
  [
    'allowed',
    [
      method(
        'decision_allowed',
        [decisionType],
        boolType,
        ([value]) => decisionKind.content(value)?.allowed ?? noSuchOverload,
        nominalCost,
      ),
    ],
  ],
  [
    'reason',
    [
      method(
        'decision_reason',
        [decisionType],
        stringType,
        ([value]) => decisionKind.content(value)?.reason ?? noSuchOverload,
        nominalCost,
      ),
    ],
  ],
]

/** A method that sets a property of a resource check. */
function narrowing(
  property: Exclude<keyof ResourceCheck, 'authorizer' | 'user' | 'group' | 'resource'>,
  id: string,
  extras: typeof nominalCost | typeof selectorCosts,
): Library[number] {
  const apply = withText(resourceCheckKind, (resourceCheck, text) =>
    resourceCheckKind.of({ ...resourceCheck, [property]: text }),
  )
  return [property, [method(id, [resourceCheckType, stringType], resourceCheckType, apply, extras)]]
}

function withText<Content>(
  kind: MethodsOnly<Content>,
  apply: (content: Content, text: string) => Value,
): Apply {
  return ([value, text]) => {
    const content = kind.content(value)
    if (content === undefined || typeof text !== 'string') return noSuchOverload
    return apply(content, text)
  }
}

function serviceAccount([value, namespace, name]: readonly Value[]): Value {
  const subject = authorizerKind.content(value)
  if (subject === undefined || typeof namespace !== 'string' || typeof name !== 'string') {
    return noSuchOverload
  }
  if (!isSubdomain(name)) return new CelError('Invalid service account name')
  if (!isLabel(namespace)) return new CelError('Invalid service account namespace')
  return authorizerKind.of({ ...subject, user: serviceAccountUser(namespace, name) })
}

function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)
}

function isSubdomain(text: string): boolean {
  const part = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
  return text.length <= 253 && new RegExp(`^${part}(\\.${part})*$`).test(text)
}

function check([value, verb]: readonly Value[]): Value {
  if (typeof verb !== 'string') return noSuchOverload
  const path = pathCheckKind.content(value)
  if (path !== undefined) {
    const { authorizer: policyAuthorizer, user } = path
    return decisionKind.of(
      policyAuthorizer.authorize({ kind: 'path', user, verb, path: path.path }),
    )
  }
  const resource = resourceCheckKind.content(value)
  if (resource === undefined) return noSuchOverload
  const { authorizer: policyAuthorizer, ...attributes } = resource
  return decisionKind.of(
    policyAuthorizer.authorize({ kind: 'resource', verb, version: '*', ...attributes }),
  )
}
