import { type Policies, validations } from './policies.ts'
import type { Suite } from './suite.ts'

const configMapParams = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }

/** The policies that apply to the suite's requests, each for the objects that its label selects. */
export async function createPolicies(suite: Suite, policies: Policies): Promise<void> {
  const { validating } = policies
  await validating('plain', { spec: validations("object.metadata.name == 'other'") })
  await validating('message', { spec: validations('false', { message: ' too bad ' }) })
  await validating('expression', {
    spec: show("'no ' + object.metadata.name + ' in ' + request.namespace"),
  })
  const bad = { messageExpression: "object.none + 'x'", message: 'the fixed one' }
  await validating('broken-message', { spec: validations('false', bad) })
  await validating('lines', { spec: validations('false', { messageExpression: "'a\\nb'" }) })
  await validating('forbidden', { spec: validations('false', { reason: 'Forbidden' }) })
  await validating('large', { spec: validations('false', { reason: 'RequestEntityTooLarge' }) })
  await validating('unauthorized', { spec: validations('false', { reason: 'Invalid' }) })
  await validating('several', {
    spec: {
      validations: [
        { expression: 'true', message: 'first' },
        { expression: 'false', message: 'second', reason: 'Forbidden' },
        { expression: 'false', message: 'third' },
      ],
    },
  })
  await validating('warns', {
    spec: {
      validations: [
        { expression: 'false', message: 'one' },
        { expression: 'false', message: 'two "quoted"' },
      ],
    },
    binding: { validationActions: ['Warn', 'Audit'] },
  })
  await validating('audits', {
    spec: validations('false'),
    binding: { validationActions: ['Audit'] },
  })
  await validating('fails', { spec: validations('object.none == 1') })
  await validating('ignores', {
    spec: { ...validations('object.none == 1'), failurePolicy: 'Ignore' },
  })
  await validating('warns-of-errors', {
    spec: validations('object.none == 1'),
    binding: { validationActions: ['Warn'] },
  })
  const condition = (expression: string) => ({ name: 'a', expression })
  await validating('condition-false', {
    spec: { ...validations('false'), matchConditions: [condition('false')] },
  })
  await validating('condition-true', {
    spec: {
      ...validations('false'),
      matchConditions: [condition("request.userInfo.username != 'nobody'")],
    },
  })
  await validating('condition-error', {
    spec: { ...validations('true'), matchConditions: [condition('object.none == 1')] },
  })
  await validating('condition-ignored', {
    spec: {
      ...validations('false'),
      failurePolicy: 'Ignore',
      matchConditions: [condition('object.none == 1')],
    },
  })
  await validating('variables', {
    spec: {
      variables: [
        { name: 'data', expression: 'has(object.data) ? object.data : {}' },
        { name: 'count', expression: 'size(variables.data)' },
      ],
      ...validations('variables.count > 1', {
        messageExpression: "'only ' + string(variables.count)",
      }),
    },
  })
  await validating('broken-variable', {
    spec: {
      variables: [{ name: 'none', expression: 'object.none' }],
      ...validations('variables.none == 1'),
    },
  })
  await createPoliciesWithParams(suite, policies)
  await createPoliciesWithRules(suite, policies)
  await validating('namespace', {
    spec: show(
      "namespaceObject.metadata.name + ' ' + namespaceObject.status.phase + ' ' + namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
    ),
  })
  await validating('request', {
    spec: show(
      "[request.operation, request.kind.group + '/' + request.kind.version + '/' + request.kind.kind, request.resource.resource, request.name, request.namespace, request.userInfo.username, string(request.dryRun), request.requestKind.kind, string(request.options.kind), string(request.options.apiVersion)].join(' ')",
    ),
  })
  await validating('unset', {
    spec: show(
      "[has(request.subResource), has(request.name), has(request.userInfo.uid), oldObject == null, has(object.metadata.name), has(object.metadata.uid), has(object.metadata.creationTimestamp)].map(b, string(b)).join(' ')",
    ),
  })
  const may = "authorizer.group('').resource('secrets').namespace('kube-system').check('get')"
  await validating('authorizer', {
    spec: validations(`${may}.allowed()`, { message: 'may not read it' }),
  })
  await validating('own-resource', {
    spec: validations("authorizer.requestResource.check('delete').allowed()"),
  })
  await validating('annotations', {
    spec: {
      ...validations('true'),
      auditAnnotations: [
        { key: 'name', valueExpression: "'' + object.metadata.name" },
        { key: 'none', valueExpression: 'null' },
      ],
    },
  })
  await validating('broken-annotation', {
    spec: {
      ...validations('true'),
      auditAnnotations: [{ key: 'name', valueExpression: "'' + object.none" }],
    },
  })
  const costly =
    '[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a + b + c + d + e + f > 0))))))'
  await validating('costly', { spec: validations(costly) })
}

async function createPoliciesWithParams(
  { group, namespace }: Suite,
  { validating }: Policies,
): Promise<void> {
  const shown = { ...configMapParams, ...show("'params ' + params.data.text") }
  const by = (paramRef: object) => ({
    paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
  })
  await validating('param-name', { spec: shown, binding: by({ name: 'one' }) })
  await validating('param-here', { spec: shown, binding: by({ name: 'one', namespace }) })
  const selector = { matchLabels: { params: 'yes' } }
  await validating('param-selector', {
    spec: {
      ...configMapParams,
      ...validations("params.data.limit != 'two'", {
        messageExpression: "'' + params.data.text",
      }),
    },
    binding: by({ selector }),
  })
  await validating('param-missing', { spec: shown, binding: by({ name: 'none' }) })
  await validating('param-allowed', {
    spec: shown,
    binding: by({ name: 'none', parameterNotFoundAction: 'Allow' }),
  })
  await validating('param-ignored', {
    spec: { ...shown, failurePolicy: 'Ignore' },
    binding: by({ name: 'none' }),
  })
  await validating('param-unset', {
    spec: { ...configMapParams, ...validations('params != null', { message: 'no params' }) },
  })
  await validating('param-unknown', {
    spec: {
      paramKind: { apiVersion: 'none.example.dev/v1', kind: 'None' },
      ...validations('false'),
    },
    binding: by({ name: 'one' }),
  })
  await validating('param-widget', {
    spec: {
      paramKind: { apiVersion: `${group}/v1`, kind: 'Widget' },
      ...show("'' + params.kind + ' ' + params.spec.mode"),
    },
    binding: by({ name: 'of-status' }),
  })
}

async function createPoliciesWithRules({ group }: Suite, { validating }: Policies): Promise<void> {
  const no = validations('false')
  await validating('names', {
    spec: no,
    rule: { resourceNames: ['of-names'] },
  })
  const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'] }
  await validating('excludes', {
    spec: no,
    match: { excludeResourceRules: [{ ...rule, resources: ['*'] }] },
  })
  await validating('cluster', { spec: no, rule: { scope: 'Cluster' } })
  await validating('updates', {
    spec: show("'was ' + oldObject.data.a + ', is ' + object.data.a"),
    rule: { operations: ['UPDATE'] },
  })
  await validating('deletes', {
    spec: show(
      "[string(object == null), string(oldObject.metadata.name), string(has(request.name)), string(request.options.kind)].join(' ')",
    ),
    rule: { operations: ['DELETE'] },
  })
  const ofWidgets = (resources: readonly string[]) => ({
    apiGroups: [group],
    apiVersions: ['v1'],
    resources: [...resources],
  })
  await validating('status', {
    spec: show("request.subResource + ' ' + object.status.phase"),
    rule: ofWidgets(['widgets/status']),
  })
  await validating('scale', {
    spec: show(
      "[request.subResource, string(object.kind), string(object.apiVersion), string(oldObject.spec.replicas), string(object.spec.replicas), request.kind.kind].join(' ')",
    ),
    rule: ofWidgets(['widgets/scale']),
    match: { objectSelector: {} },
  })
  await validating('token', {
    spec: show(
      "[request.operation, request.subResource, request.kind.kind, request.name, string(object.kind)].join(' ')",
    ),
    rule: { resources: ['serviceaccounts/token'] },
    match: { objectSelector: {} },
  })
  await validating('binding', {
    spec: validations('false'),
    binding: { matchResources: { objectSelector: { matchLabels: { more: 'yes' } } } },
  })
}

/** Shows what an expression evaluates to, as the message of the refusal. */
function show(messageExpression: string) {
  return validations('false', { messageExpression })
}
