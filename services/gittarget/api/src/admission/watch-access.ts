import {
  type AdmissionPolicy,
  type AnyKind,
  celDecides,
  celList,
  celString,
  type NamedExpression,
  type PolicyValidation,
  writesOf,
} from '@agents/crd'
import { builtinResources, groupsByResource } from './builtin-resources.ts'

/**
 * How many resources one policy checks. A CEL authorizer check costs 350,000 of the 10,000,000 that Kubernetes allows
 * per policy. Each resource needs two checks, and the permission for all resources two more.
 */
const perPolicy = 12
const policies = 3

/** How many resources a rule may select if its author may not read all resources. */
export const mostCheckedResources = perPolicy * policies

/**
 * Policies that allow a rule only to users who may list and watch its resources. Each policy checks the next resources
 * of the rule.
 */
export function watchAccessPolicies(
  kind: Pick<AnyKind, 'group' | 'plural' | 'scope' | 'kind'>,
): readonly AdmissionPolicy[] {
  const place =
    kind.scope === 'Namespaced'
      ? { scope: '.namespace(request.namespace)', text: "'in the namespace ' + request.namespace" }
      : { scope: '', text: "'in all namespaces and at cluster scope'" }
  return Array.from({ length: policies }, (_, part): AdmissionPolicy => {
    const first = part * perPolicy
    return {
      name: `${kind.plural}${part === 0 ? '' : `-${part + 1}`}.${kind.group}`,
      description: `Users who create or change a ${kind.kind} must be allowed to list and watch the resources that it selects. Checks resources ${first + 1} to ${first + perPolicy}.`,
      appliesTo: 'everywhere',
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: writesOf([kind]),
        variables: [...coverage, mayReadEverything(place.scope)],
        validations: [
          ...(part === 0 ? [notTooMany] : []),
          ...Array.from({ length: perPolicy }, (_, at) => mayWatch(first + at, place)),
        ],
      },
    }
  })
}

/** How many pairs of group and resource are evaluated to find those that exist. */
const mostPairs = 512

/** The resources that the rules select, as `group/resource`. */
const coverage: readonly NamedExpression[] = [
  { name: 'decides', expression: celDecides(['spec.rules', 'spec.targetRef']) },
  { name: 'builtinGroups', expression: celList(Object.keys(builtinResources)) },
  {
    name: 'groupsOf',
    expression: `{${[...groupsByResource()]
      .map(([resource, groups]) => `${celString(resource)}: ${celList(groups)}`)
      .join(', ')}}`,
  },
  {
    // Counted before the pairs are built, which would take the API server seconds for the largest rules.
    name: 'countable',
    expression: `object.spec.rules.map(rule, size(rule.resources) * (has(rule.apiGroups) ? size(rule.apiGroups) : 1)).sum() <= ${mostPairs}`,
  },
  {
    // A rule with groups and resources selects every pair of them. A pair whose resource belongs to other built-in
    // groups does not exist, so no permission is required for it. A rule without groups selects the one group that
    // serves the resource: it is known for built-in resources, and can be any group for others.
    name: 'covered',
    expression:
      "!variables.countable ? [] : object.spec.rules.map(rule, rule.resources.map(name, (has(rule.apiGroups) ? rule.apiGroups.filter(group, !(group in variables.builtinGroups && name in variables.groupsOf && !(group in variables.groupsOf[name]))) : (name in variables.groupsOf ? variables.groupsOf[name] : ['*'])).map(group, group + '/' + name).join(',')).join(',')).join(',').split(',').filter(pair, pair != '')",
  },
]

function mayReadEverything(scope: string): NamedExpression {
  const everything = `authorizer.group('*').resource('*')${scope}`
  return {
    name: 'everything',
    expression: `${everything}.check('list').allowed() && ${everything}.check('watch').allowed()`,
  }
}

const notTooMany: PolicyValidation = {
  expression: `!variables.decides || variables.countable && size(variables.covered) <= ${mostCheckedResources} || variables.everything`,
  message: `spec.rules: selects more than ${mostCheckedResources} resources, which is more than can be checked; create several rules`,
  reason: 'Invalid',
}

function mayWatch(at: number, place: { scope: string; text: string }): PolicyValidation {
  const part = (index: number) => `variables.covered[${at}].split('/')[${index}]`
  const check = (verb: string) =>
    `authorizer.group(${part(0)}).resource(${part(1)})${place.scope}.check('${verb}').allowed()`
  const unknownGroup = `(${part(0)} == '*' && ${part(1)} != '*' ? '; set apiGroups to check the permission for that group only' : '')`
  return {
    expression: `!variables.decides || size(variables.covered) <= ${at} || variables.everything || ${check('list')} && ${check('watch')}`,
    message: 'spec.rules: you may not list and watch all resources of a rule',
    messageExpression: `'spec.rules: ' + request.userInfo.username + ' may not list and watch ' + ${part(1)} + (${part(0)} == '' ? '' : '.' + ${part(0)}) + ' ' + ${place.text} + ', so this user may not have it mirrored' + ${unknownGroup}`,
    reason: 'Forbidden',
  }
}
